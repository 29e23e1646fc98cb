import type { NodeFacts } from "../provider/kilo/types";
import { isBare } from "../provider/mesh/merge-facts";
import { peerName } from "../provider/mesh/names";
import type { ClusterSpec, SkippedNode } from "../provider/mesh/types";
import type { ClusterSight } from "./sight";

/**
 * Why a peer that the plan lacks would be kept by `up` all the same: a stack remembers the nodes of a cluster that does
 * not answer, and those whose Kilo annotations are briefly gone. This command has no memory, so it must not cry wolf.
 */
export function whyKept(
    mesh: string,
    peer: string,
    source: ClusterSpec | undefined,
    sight: ClusterSight | undefined,
    facts: readonly NodeFacts[],
): string | undefined {
    if (source === undefined || sight === undefined) return undefined;
    if (!sight.answers) return `${source.name} cannot be read, so its peers stay`;
    if (facts.length === 0 && source.allowEmpty !== true) return `${source.name} lists no nodes, so its peers stay`;
    const bare = facts.filter(isBare);
    const node = bare.find(({ name }) => peerName(mesh, source.name, name) === peer);
    if (node !== undefined) return `Kilo's annotations are gone from ${node.name}, so its peer stays for now`;
    const ofLocation = peer.startsWith(peerName(mesh, source.name, "location-x").slice(0, -1));
    return ofLocation && bare.length > 0
        ? `Kilo's annotations are gone from ${bare[0]!.name}, so the peer of its location stays for now`
        : undefined;
}

/** Why a peer is not in the plan, when its source can be seen. */
export function whyExtra(
    mesh: string,
    peer: string,
    target: string,
    source: string,
    spec: ClusterSpec | undefined,
    skipped: readonly SkippedNode[],
): string {
    if (spec === undefined) return `${source} is not in the mesh file`;
    const left = skipped.find(
        (node) =>
            node.cluster === source && (node.target ?? target) === target && peerName(mesh, source, node.node) === peer,
    );
    return left === undefined ? `no node of ${source} needs it` : `its node is left out (${left.reason})`;
}
