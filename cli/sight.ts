import { endpointNames } from "../provider/kilo/endpoint";
import { readNodes } from "../provider/kilo/read-nodes";
import type { KubeNode } from "../provider/kilo/types";
import type { ReviewedPermission } from "../provider/kube/access-review";
import type { KubeErrorKind, NetworkFailure } from "../provider/kube/errors/kube-error";
import type { LivePeer } from "../provider/kube/objects";
import type { ClusterSpec, MeshSpec } from "../provider/mesh/types";
import { type Observation, type ObserveProgress, observeClusters } from "../provider/observe/observe-clusters";
import { observeTarget } from "../provider/observe/observe-target";
import { resolveNames } from "../provider/observe/resolve-names";
import { reviewMembers } from "./permissions";

/** What one cluster looked like, or why it could not be read. */
export type ClusterSight =
    | { readonly answers: true; readonly nodes: readonly KubeNode[]; readonly peers: readonly LivePeer[] }
    | {
          readonly answers: false;
          readonly kind: KubeErrorKind;
          readonly message: string;
          readonly fix: string;
          readonly network?: NetworkFailure;
      };

export interface Sight {
    /** Unix seconds. */
    readonly at: number;
    readonly clusters: Readonly<Record<string, ClusterSight>>;
    /** DNS names of endpoints that certainly do not exist. */
    readonly unresolvable: readonly string[];
    /** What the account of each cluster may do; only where it was asked for. */
    readonly permissions: Readonly<Record<string, readonly ReviewedPermission[]>>;
}

export interface LookOptions {
    readonly timeoutSeconds: number;
    readonly withPermissions: boolean;
    readonly onProgress: (progress: ObserveProgress) => void;
}

export type Look = (mesh: MeshSpec, options: LookOptions) => Promise<Sight>;

/** Reads all clusters at once: a dead one costs one timeout and hides nothing of the others. */
export const look: Look = async (mesh, { timeoutSeconds, withPermissions, onProgress }) => {
    const targets = mesh.clusters.map(observeTarget);
    const observed = await observeClusters(targets, { requestTimeoutSeconds: timeoutSeconds, onProgress });
    const at = Math.floor(Date.now() / 1000);
    const clusters = Object.fromEntries(mesh.clusters.map(({ name }) => [name, sightOf(observed.clusters[name]!)]));
    const names = mesh.clusters.flatMap((spec) => namesIn(spec, clusters[spec.name]!));
    const [{ unresolvable }, permissions] = await Promise.all([
        resolveNames(names, { timeoutSeconds }),
        withPermissions ? reviewMembers(targets, clusters, observed.kubeconfigs, timeoutSeconds) : {},
    ]);
    return { at, clusters, unresolvable, permissions };
};

function sightOf(observation: Observation): ClusterSight {
    if (observation.ok) return { answers: true, nodes: observation.nodes, peers: observation.peers };
    const { ok: _, ...failure } = observation;
    return { answers: false, ...failure };
}

/**
 * Names of nodes, and of all peers there: a single one that fails stops Kilo from configuring anything (docs/kilo.md:
 * unresolvable names freeze Kilo).
 */
function namesIn(spec: ClusterSpec, sight: ClusterSight): readonly string[] {
    if (!sight.answers) return [];
    return [
        ...endpointNames(readNodes(sight.nodes, spec), spec),
        ...sight.peers.flatMap(({ spec: { endpoint } }) => endpoint?.dnsOrIP.dns ?? []),
    ];
}
