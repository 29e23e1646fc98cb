import type { LivePeer, Peer } from "../provider/kilo/peer";
import { readDeclared } from "../provider/mesh/args/declared-networks";
import { linkedPairs } from "../provider/mesh/args/topology";
import { type Drift, driftOf } from "../provider/mesh/drift";
import type { Seen, Unseen } from "../provider/mesh/knowledge";
import { type RunResult, run, type TakeOver, type TargetRun } from "../provider/mesh/run";
import type { MeshSpec } from "../provider/mesh/types";
import { CLAIM_LABEL, SOURCE_LABEL } from "../provider/values/labels";
import { byText } from "../provider/values/show";
import { claimsFound } from "./claims";
import type { Sight } from "./sight";
import { planRecorded } from "./stack/plan-recorded";
import type { StackRecord } from "./stack/read-stack";
import { keptPeers, whyExtra } from "./why";

/**
 * - `present`: as planned · `moved`: as planned but for an endpoint that the target observed since
 * - `drifted`: differs · `missing` · `extra`: not planned any more
 * - `kept`: stays as it is, because its node cannot be judged at the moment · `unknown`: its target cannot be read
 */
export type PeerState = "present" | "moved" | "drifted" | "missing" | "extra" | "kept" | "unknown";

/** One peer: what should be there against what is. */
export interface PeerView {
    readonly name: string;
    readonly source: string;
    readonly target: string;
    readonly state: PeerState;
    readonly wanted?: Peer;
    readonly live?: LivePeer;
    readonly why?: string;
    /** The target's nodes saw a handshake with its key. */
    readonly handshake: boolean;
    /** A live peer without the claim of any stack: `up` leaves it alone unless `adopt` is set. */
    readonly unclaimed?: boolean;
}

/** Everything the commands tell, from one look at the clusters. */
export interface Assessment {
    readonly mesh: MeshSpec;
    readonly sight: Sight;
    readonly plan: RunResult;
    /** The sources of each target; a source that is not in the mesh file has left peers behind. */
    readonly links: Readonly<Record<string, readonly string[]>>;
    /** Of all targets, by target and name. */
    readonly peers: readonly PeerView[];
}

/** With what a stack has recorded of the mesh, the plan is the one that `pulumi up` would make. */
export function assess(mesh: MeshSpec, sight: Sight, record?: StackRecord): Assessment {
    const planFrom = (seen: Sight): RunResult =>
        record === undefined ? planByLabels(mesh, seen) : planRecorded(mesh, seen, record);
    const plan = planFrom(sight);
    // Without fresh observations: a peer equal to this one has not drifted, it is about to follow an observation.
    const settled = planFrom({ ...sight, clusters: withoutObservations(sight.clusters) });
    const keptBecause = keptPeers(mesh.mesh, plan, sight);
    const peers = Object.entries(plan.targets).flatMap(([target, found]) =>
        viewsOf(target, found, settled.targets[target]!).map((view): PeerView => {
            const kept = view.state === "present" ? keptBecause(view) : undefined;
            return {
                ...view,
                ...(kept === undefined ? {} : { state: "kept", why: kept }),
                ...(view.state === "extra" ? { why: whyExtra(mesh, view, plan.skipped) } : {}),
                handshake: hasHandshake(view, sight.clusters[target]),
            };
        }),
    );
    const names = mesh.clusters.map(({ name }) => name);
    return { mesh, sight, plan, links: withLeftOvers(linkedPairs(names, mesh.topology), peers), peers };
}

/** A stack knows its own peers by its state. Here they are what has the claim that most of them have, or the mesh's labels. */
function planByLabels(mesh: MeshSpec, sight: Sight): RunResult {
    return run({
        mesh: { ...mesh, adopt: true },
        networks: readDeclared(mesh.clusters),
        ...claimsFound(mesh.mesh, sight),
        knowledge: sight.clusters,
        lastKnown: {},
        unresolvable: sight.unresolvable,
        resolved: sight.resolved,
    });
}

const withoutObservations = (clusters: Sight["clusters"]): Sight["clusters"] =>
    Object.fromEntries(
        Object.entries(clusters).map(([name, cluster]) => [
            name,
            cluster.state === "seen" ? { ...cluster, observed: {} } : cluster,
        ]),
    );

type Unmarked = Omit<PeerView, "handshake">;

function viewsOf(target: string, found: TargetRun, settled: TargetRun): readonly Unmarked[] {
    const drifting = driftOf(found);
    const drifts = new Map(drifting.map((drift) => [drift.name, drift]));
    const lasting = new Set(driftOf(settled).map(({ name }) => name));
    const takenOver = new Map(found.takeOver.map(({ name, how }) => [name, how]));
    const views: Unmarked[] = [];
    for (const [source, ofSource] of found.peers) {
        for (const [name, wanted] of ofSource) {
            const drift = drifts.get(name);
            const live = drift === undefined ? found.ours.get(name) : drift.live;
            const how = takenOver.get(name);
            views.push({
                ...{ name, source, target, wanted },
                ...(live === undefined ? {} : { live }),
                ...(found.state === "seen" ? stateOf(drift, how, lasting, target) : { state: "unknown" }),
                ...(how === "adopted" && !live?.labels[CLAIM_LABEL] ? { unclaimed: true } : {}),
            });
        }
    }
    for (const { name, kind, live } of drifting) {
        if (kind !== "left over" || live === undefined) continue;
        const isUnclaimed = takenOver.get(name) === "adopted" && !live.labels[CLAIM_LABEL];
        const source = live.labels[SOURCE_LABEL] ?? "";
        views.push({ name, source, target, state: "extra", live, ...(isUnclaimed ? { unclaimed: true } : {}) });
    }
    return views.sort((a, b) => byText(a.name, b.name));
}

function stateOf(
    drift: Drift | undefined,
    how: TakeOver["how"] | undefined,
    lasting: ReadonlySet<string>,
    target: string,
): Pick<PeerView, "state" | "why"> {
    switch (drift?.kind) {
        case "missing":
            return { state: "missing" };
        case "changed":
            return lasting.has(drift.name)
                ? { state: "drifted" }
                : { state: "moved", why: `${target} observed another endpoint` };
        case "unclaimed":
            return { state: "drifted", why: "its labels are missing" };
        case "labels":
            // an operator's, or another stack's: all that it lacks is our claim
            if (how === "adopted") return { state: "present" };
            return {
                state: "drifted",
                why: how === undefined ? "its labels were changed" : "it is of a member that was renamed or replaced",
            };
        default:
            return { state: "present" };
    }
}

function hasHandshake({ wanted, live }: Unmarked, target: Seen | Unseen | undefined): boolean {
    const key = live && (wanted ?? live).spec.publicKey;
    return key !== undefined && target?.state === "seen" && Object.hasOwn(target.observed, key);
}

function withLeftOvers(links: Assessment["links"], peers: readonly PeerView[]): Assessment["links"] {
    return Object.fromEntries(
        Object.entries(links).map(([target, sources]) => {
            const present = peers.filter((peer) => peer.target === target).map(({ source }) => source);
            return [target, [...new Set([...sources, ...present])].sort(byText)];
        }),
    );
}
