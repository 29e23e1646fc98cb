import type { Peer } from "../../provider/kilo/peer";
import { type Drift, driftOf } from "../../provider/mesh/drift";
import { differences } from "../../provider/mesh/report/differences";
import type { TakeOver, TargetRun } from "../../provider/mesh/run";
import { joinLines } from "../../provider/state/line-list";
import { encodePeer } from "../../provider/state/peer-text";

/** What one peer set is told, as its inputs have it. */
export interface TargetInputs {
    /** By source cluster, a line per peer. */
    readonly peers: Readonly<Record<string, string>>;
    readonly repair?: Record<string, string> | undefined;
    readonly unlabelled?: Record<string, string> | undefined;
    readonly adopt?: Record<string, string> | undefined;
    readonly pending?: string | undefined;
}

/** The border: from here on peers are text. `reason`: why the target was not seen. */
export function targetInputs(target: TargetRun, reason: string | undefined): TargetInputs {
    const { state, peers, takeOver } = target;
    const lines = Object.fromEntries([...peers].map(([source, ofSource]) => [source, linesOf(ofSource)]));
    if (state === "silent" || state === "unusable") return { peers: lines, pending: reason ?? "it was not seen" };
    const drift = driftOf(target);
    const unlabelled = drift.flatMap(({ name, kind, live }) =>
        kind === "unclaimed" && live ? [[name, live.uid]] : [],
    );
    return {
        peers: lines,
        repair: bag(drift.filter(({ kind }) => kind !== "unclaimed").map((each) => [each.name, sayDrift(each)])),
        unlabelled: bag(unlabelled as [string, string][]),
        adopt: bag(takeOver.map((each) => [each.name, sayTakeOver(each)])),
    };
}

const linesOf = (peers: ReadonlyMap<string, Peer>): string =>
    joinLines(Object.fromEntries([...peers].map(([name, peer]) => [name, encodePeer(peer)])));

const bag = (entries: readonly (readonly [string, string])[]): Record<string, string> | undefined =>
    entries.length === 0 ? undefined : Object.fromEntries(entries);

function sayDrift({ kind, live, wanted }: Drift): string {
    if (kind === "missing") return "missing in the cluster, will be created";
    if (kind === "labels") return "its labels were changed, will be restored";
    if (kind === "left over") return "left over from an interrupted run, will be deleted";
    if (live === undefined || wanted === undefined) return "unreadable, will be restored";
    return `${differences(wanted, live)}; will be restored`;
}

const sayTakeOver = ({ how, wanted }: TakeOver): string => {
    const whose = how === "adopted" ? "will be taken over" : "is of a member that this mesh had: will be taken over";
    return wanted ? whose : `${whose} and deleted, the plan does not need it`;
};
