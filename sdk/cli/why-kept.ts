import { type ClusterSpec, type NodeFacts, peerName } from "../../provider/mesh/index";
import { isBare } from "../../provider/mesh/merge-facts";
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
