import { few, shown } from "../../values/show";
import { issue } from "../report/findings";
import type { Issue } from "../types";
import type { KnownMesh } from "./schema";

/** Hubs, links and secrets name clusters of this mesh, and lead somewhere. */
export function checkReferences(mesh: KnownMesh): readonly Issue[] {
    const names = (mesh.clusters ?? []).flatMap((cluster) => cluster?.name ?? []);
    const known = new Set(names);
    const unknown = (name: string | undefined, path: string): readonly Issue[] => {
        if (name === undefined || known.has(name)) return [];
        const fix = `name one of ${few(names.map(shown), 10)}`;
        return [issue("error", "ReferenceUnknown", path, `there is no cluster ${shown(name)}`, fix)];
    };
    return [
        ...(mesh.topology?.hubs ?? []).flatMap((hub, i) => unknown(hub, `topology.hubs[${i}]`)),
        ...(mesh.topology?.links ?? []).flatMap((link, i) => [
            ...unknown(link?.a, `topology.links[${i}].a`),
            ...unknown(link?.b, `topology.links[${i}].b`),
            ...selfLink(link?.a, link?.b, `topology.links[${i}]`),
        ]),
        ...emptyTopology(mesh),
        ...(mesh.clusters ?? []).flatMap((cluster, i) =>
            unknown(cluster?.kubeconfigSecret?.cluster, `clusters[${i}].kubeconfigSecret.cluster`),
        ),
        ...secretCycles(mesh),
    ];
}

function selfLink(a: string | undefined, b: string | undefined, path: string): readonly Issue[] {
    if (a === undefined || a !== b) return [];
    const message = `${shown(a)} is linked with itself`;
    return [issue("error", "LinkToSelf", path, message, "name two different clusters, or remove the link")];
}

/** An empty list would take down every tunnel; a full mesh is written by leaving the topology out. */
function emptyTopology(mesh: KnownMesh): readonly Issue[] {
    const { hubs, links } = mesh.topology ?? {};
    if ((hubs?.length ?? 0) + (links?.length ?? 0) > 0 || (hubs === undefined && links === undefined)) return [];
    const path = hubs !== undefined ? "topology.hubs" : "topology.links";
    const fix = "name hubs or links, or leave topology out for a full mesh";
    return [issue("error", "TopologyEmpty", path, "the topology links no clusters at all", fix)];
}

/** A kubeconfig that can only be read with the help of the cluster it leads to can never be read. */
function secretCycles(mesh: KnownMesh): readonly Issue[] {
    const clusters = mesh.clusters ?? [];
    const readFrom = new Map<string, string>();
    for (const cluster of clusters) {
        const from = cluster?.kubeconfigSecret?.cluster;
        if (cluster?.name !== undefined && from !== undefined) readFrom.set(cluster.name, from);
    }
    return clusters.flatMap((cluster, i) => {
        const start = cluster?.name;
        if (start === undefined || !leadsBack(start, readFrom)) return [];
        return [
            issue(
                "error",
                "SecretCycle",
                `clusters[${i}].kubeconfigSecret.cluster`,
                `the kubeconfig of ${shown(start)} would be read with the help of ${shown(start)} itself`,
                "give one of the clusters on the way a kubeconfig of its own",
            ),
        ];
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
