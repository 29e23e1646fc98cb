import { networkOf } from "../net/cidr";
import { byText } from "../values/show";
import { kiloEndpointOf } from "./endpoint";
import { isFresh, leaderOrder } from "./leader";
import { isSetUp } from "./public-key";
import type { KnownNode, NodeFacts } from "./types";

/** What Kilo makes one WireGuard peer of: a node, or the ready nodes of a location. */
export interface KiloSegment {
    /** It alone has tunnels. */
    readonly leader: KnownNode;
    readonly nodes: readonly KnownNode[];
}

/** Kilo makes one segment per location of the nodes that have an internal IP (docs/kilo.md: granularity). */
export function isInLocation({ granularity, noInternalIP }: NodeFacts): boolean {
    return granularity === "location" && noInternalIP !== true;
}

/** Why Kilo leaves a node out of its mesh (docs/kilo.md: ready for 60 seconds). */
export function whyNotReady(node: KnownNode): string | undefined {
    if (node.stale === true) return "Kilo has not seen it for a minute or more";
    if (!isSetUp(node)) return "it has no key of Kilo's";
    if (kiloEndpointOf(node) === undefined) return "Kilo has found no endpoint for it";
    if (networkOf(node.podCIDRs[0] ?? "") === undefined) return "it has no pod CIDR";
    return isFresh(node) ? undefined : "annotations of Kilo's are missing";
}

/** The segments that Kilo makes of a cluster's nodes now, by the name of their leader. */
export function kiloSegments(
    nodes: readonly KnownNode[],
    resolved: Readonly<Record<string, string>>,
): readonly KiloSegment[] {
    const groups = new Map<string, KnownNode[]>();
    for (const node of nodes) {
        if (whyNotReady(node) !== undefined) continue;
        const group = isInLocation(node) ? `location ${node.location ?? ""}` : `node ${node.name}`;
        const before = groups.get(group);
        if (before === undefined) groups.set(group, [node]);
        else before.push(node);
    }
    return [...groups.values()]
        .map((group) => ({ leader: leaderOrder(group, { resolved })[0]!, nodes: group }))
        .sort((a, b) => byText(a.leader.name, b.leader.name));
}
