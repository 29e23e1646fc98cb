import type { Assessment } from "../assess";
import { statusReport } from "../status/report";

export interface MemberCount {
    readonly name: string;
    /** `waiting`: a watcher has not heard of it yet. */
    readonly state: MemberState;
    readonly staleNodes: number;
}

export const MEMBER_STATES = ["waiting", "seen", "silent", "unusable"] as const;
export type MemberState = (typeof MEMBER_STATES)[number];

export interface TargetCount {
    readonly name: string;
    readonly wanted: number;
    /** There and as wanted. */
    readonly present: number;
    /** There and not as wanted, or there and not wanted. */
    readonly drifted: number;
}

/** A mesh at one moment, in numbers. */
export interface MeshCounts {
    readonly mesh: string;
    /** In the order of the mesh file. */
    readonly members: readonly MemberCount[];
    /** By target; of one that is not seen only what is wanted means anything. */
    readonly targets: readonly TargetCount[];
    readonly tunnels: { readonly seen: number; readonly total: number };
}

/** The numbers of what one look at the clusters found. */
export function countMesh(assessment: Assessment, onlyTarget?: string): MeshCounts {
    const { mesh, peers, sight } = assessment;
    const targets = mesh.clusters.filter(({ name }) => onlyTarget === undefined || name === onlyTarget);
    const tunnels = statusReport(assessment, onlyTarget).links.flatMap((link) => link.tunnels ?? []);
    return {
        mesh: mesh.mesh,
        members: mesh.clusters.map(({ name }) => {
            const cluster = sight.clusters[name];
            if (cluster?.state !== "seen") return { name, state: cluster?.state ?? "waiting", staleNodes: 0 };
            return { name, state: "seen", staleNodes: cluster.nodes.filter(({ stale }) => stale === true).length };
        }),
        targets: targets.map(({ name }) => {
            const here = peers.filter(({ target }) => target === name);
            const inState = (...states: readonly string[]): number =>
                here.filter(({ state }) => states.includes(state)).length;
            return {
                name,
                wanted: here.filter(({ wanted }) => wanted !== undefined).length,
                present: inState("present", "moved", "kept"),
                drifted: inState("drifted", "extra"),
            };
        }),
        tunnels: {
            seen: tunnels.reduce((sum, { seen }) => sum + seen, 0),
            total: tunnels.reduce((sum, { total }) => sum + total, 0),
        },
    };
}
