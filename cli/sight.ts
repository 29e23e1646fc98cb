import { endpointNames } from "../provider/kilo/endpoint";
import type { ReviewedPermission } from "../provider/kube/access-review";
import type { Seen, Unseen } from "../provider/mesh/knowledge";
import type { ClusterSpec, MeshSpec } from "../provider/mesh/types";
import { type Sight as Known, knowledgeOf } from "../provider/observe/look";
import { type Observation, type ObserveProgress, observeClusters } from "../provider/observe/observe-clusters";
import { observeTarget } from "../provider/observe/observe-target";
import { resolveNames } from "../provider/observe/resolve-names";
import { reviewMembers } from "./permissions";

/** A cluster whose nodes and peers could be read. `found` is how: its clock, and nodes with all their annotations. */
export interface SeenCluster extends Seen {
    readonly found: Extract<Observation, { ok: true }>;
}

/** One that could not be read. `found` is why: the kind of failure. */
export interface UnseenCluster extends Unseen {
    readonly found: Extract<Observation, { ok: false }>;
}

export type ClusterSight = SeenCluster | UnseenCluster;

/** What one look found: the knowledge a plan is made from, and what only `doctor` asks for. */
export interface Sight extends Pick<Known, "unresolvable" | "resolved"> {
    readonly clusters: Readonly<Record<string, ClusterSight>>;
    /** What the account of each cluster may do; only where it was asked for. */
    readonly permissions: Readonly<Record<string, readonly ReviewedPermission[]>>;
}

export interface LookOptions {
    readonly timeoutSeconds: number;
    readonly withPermissions: boolean;
    readonly onProgress: (progress: ObserveProgress) => void;
    /** Waits this long before it looks. */
    readonly afterSeconds?: number;
}

export type Look = (mesh: MeshSpec, options: LookOptions) => Promise<Sight>;

/** Reads all clusters at once: a dead one costs one timeout and hides nothing of the others. */
export const look: Look = async ({ clusters }, { timeoutSeconds, withPermissions, onProgress, afterSeconds = 0 }) => {
    await new Promise((resolve) => setTimeout(resolve, afterSeconds * 1000));
    const targets = clusters.map(observeTarget);
    const found = await observeClusters(targets, { requestTimeoutSeconds: timeoutSeconds, onProgress });
    const seen = Object.fromEntries(clusters.map((spec) => [spec.name, sightOf(spec, found.clusters[spec.name]!)]));
    const names = clusters.flatMap((spec) => namesIn(spec, seen[spec.name]!));
    const [{ unresolvable, addresses }, permissions] = await Promise.all([
        resolveNames(names, { timeoutSeconds }),
        withPermissions ? reviewMembers(targets, found.clusters, found.kubeconfigs, timeoutSeconds) : {},
    ]);
    return { clusters: seen, unresolvable, resolved: addresses, permissions };
};

/** Known as seen exactly where it could be read. */
export const sightOf = (spec: ClusterSpec, found: Observation): ClusterSight =>
    ({ ...knowledgeOf(spec, found), found }) as ClusterSight;

/**
 * Names of nodes, and of all peers there: a single one that fails stops Kilo from configuring anything (docs/kilo.md:
 * unresolvable names freeze Kilo).
 */
function namesIn(spec: ClusterSpec, seen: ClusterSight): readonly string[] {
    if (seen.state !== "seen") return [];
    return [...endpointNames(seen.nodes, spec), ...seen.peers.flatMap((peer) => peer.spec.endpoint?.dnsOrIP.dns ?? [])];
}
