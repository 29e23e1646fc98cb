import type { Capacity, Issue, SkippedNode } from "../../provider/mesh/types";
import type { Assessment, PeerState, PeerView } from "../assess";
import { type MemberView, members } from "../members";
import { type PeerLines, peerLines } from "../peer-lines";

/** What `up` would do. `keep`: nothing, because its node cannot be judged now · `unknown`: its target cannot be read. */
export type Action = "create" | "change" | "delete" | "unchanged" | "keep" | "unknown";

export interface PlannedAction extends Omit<PeerLines, "target" | "state" | "handshake"> {
    readonly action: Action;
}

export interface TargetReport {
    readonly target: string;
    readonly state: MemberView["state"];
    /** It could be read. */
    readonly answers: boolean;
    readonly counts: Readonly<Record<Action, number>>;
    readonly peers: readonly PlannedAction[];
}

export interface PlanReport {
    readonly schemaVersion: 1;
    readonly command: "plan";
    readonly mesh: string;
    /** Every cluster could be read and every node is in the mesh. */
    readonly complete: boolean;
    readonly clusters: readonly MemberView[];
    readonly targets: readonly TargetReport[];
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
    readonly capacity: Capacity;
}

const ACTIONS: Readonly<Record<PeerState, Action>> = {
    present: "unchanged",
    moved: "change",
    drifted: "change",
    missing: "create",
    extra: "delete",
    kept: "keep",
    unknown: "unknown",
};

export function planReport(assessment: Assessment, onlyTarget?: string): PlanReport {
    const { mesh, plan } = assessment;
    const isShown = (target: string | undefined): boolean =>
        onlyTarget === undefined || target === undefined || target === onlyTarget;
    const clusters = members(assessment);
    const skipped = plan.skipped.filter(({ target }) => isShown(target));
    return {
        schemaVersion: 1,
        command: "plan",
        mesh: mesh.mesh,
        complete: clusters.every(({ answers }) => answers) && skipped.length === 0,
        clusters,
        targets: clusters.filter(({ name }) => isShown(name)).map((cluster) => targetReport(cluster, assessment.peers)),
        skipped,
        issues: plan.issues,
        capacity: plan.capacity,
    };
}

function targetReport({ name: target, state, answers }: MemberView, all: readonly PeerView[]): TargetReport {
    const peers = all.filter((peer) => peer.target === target).map(actionOf);
    const counts = { create: 0, change: 0, delete: 0, unchanged: 0, keep: 0, unknown: 0 };
    for (const { action } of peers) counts[action]++;
    return { target, state, answers, counts, peers };
}

function actionOf(view: PeerView): PlannedAction {
    const { target: _, state, handshake: __, ...peer } = peerLines(view);
    return { ...peer, action: ACTIONS[state] };
}
