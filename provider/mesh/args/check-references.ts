import { issue } from "../report/findings";
import type { Issue } from "../types";
import type { KnownCluster, KnownMesh } from "./schema";

/** Hubs, links and secrets name clusters of this mesh, and lead somewhere. */
export function checkReferences(
    { topology }: KnownMesh,
    clusters: readonly (KnownCluster | undefined)[],
    pathOf: (position: number) => string,
): readonly Issue[] {
    const names = clusters.flatMap((cluster) => cluster?.name ?? []);
    const known = new Set(names);
    const unknown = (name: string | undefined, path: string): readonly Issue[] => {
        if (name === undefined || known.has(name)) return [];
        return [issue("ReferenceUnknown", { path, name, known: names })];
    };
    return [
        ...(topology?.hubs ?? []).flatMap((hub, i) => unknown(hub, `topology.hubs[${i}]`)),
        ...(topology?.links ?? []).flatMap((link, i) => [
            ...unknown(link?.a, `topology.links[${i}].a`),
            ...unknown(link?.b, `topology.links[${i}].b`),
            ...selfLink(link?.a, link?.b, `topology.links[${i}]`),
        ]),
        ...emptyTopology(topology),
        ...clusters.flatMap((cluster, i) =>
            unknown(cluster?.kubeconfigSecret?.cluster, `${pathOf(i)}.kubeconfigSecret.cluster`),
        ),
        ...secretCycles(clusters, pathOf),
    ];
}

function selfLink(a: string | undefined, b: string | undefined, path: string): readonly Issue[] {
    if (a === undefined || a !== b) return [];
    return [issue("LinkToSelf", { path, cluster: a })];
}

/** An empty list would take down every tunnel; a full mesh is written by leaving the topology out. */
function emptyTopology({ hubs, links }: NonNullable<KnownMesh["topology"]> = {}): readonly Issue[] {
    if ((hubs?.length ?? 0) + (links?.length ?? 0) > 0 || (hubs === undefined && links === undefined)) return [];
    const path = hubs !== undefined ? "topology.hubs" : "topology.links";
    return [issue("TopologyEmpty", { path })];
}

/** A kubeconfig that can only be read with the help of the cluster it leads to can never be read. */
function secretCycles(
    clusters: readonly (KnownCluster | undefined)[],
    pathOf: (position: number) => string,
): readonly Issue[] {
    const readFrom = new Map<string, string>();
    for (const cluster of clusters) {
        const from = cluster?.kubeconfigSecret?.cluster;
        if (cluster?.name !== undefined && from !== undefined) readFrom.set(cluster.name, from);
    }
    return clusters.flatMap((cluster, i) => {
        const start = cluster?.name;
        if (start === undefined || !leadsBack(start, readFrom)) return [];
        return [issue("SecretCycle", { path: `${pathOf(i)}.kubeconfigSecret.cluster`, cluster: start })];
    });
}

function leadsBack(start: string, readFrom: ReadonlyMap<string, string>): boolean {
    let at = readFrom.get(start);
    for (let steps = 0; at !== undefined && steps <= readFrom.size; steps++) {
        if (at === start) return true;
        at = readFrom.get(at);
    }
    return false;
}
