import { type Address, addressOf } from "../net/address";
import { contains, type Network, networkOf } from "../net/cidr";
import { byText } from "../values/show";
import { parseEndpoint } from "./endpoint";
import type { NodeFacts } from "./types";

/** Kilo's idea of private, to the letter: fd00::/16 and not fc00::/7 (docs/kilo.md: leader rule). */
const PRIVATE: readonly Network[] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/16"].flatMap(
    (text) => networkOf(text) ?? [],
);

/**
 * The nodes of a location, the one that Kilo lets lead first: with the annotation and a public endpoint, with the
 * annotation, with a public endpoint, by name. Kilo looks at ready nodes only, so the others come last.
 */
export function leaderOrder(nodes: readonly NodeFacts[]): readonly NodeFacts[] {
    return nodes
        .map((node) => ({ node, rank: rank(node) }))
        .sort((a, b) => a.rank - b.rank || byText(a.node.name, b.node.name))
        .map(({ node }) => node);
}

function rank(node: NodeFacts): number {
    const leads = node.leader === true;
    const isPublic = hasPublicEndpoint(node);
    return (node.stale === true ? 4 : 0) + (leads ? (isPublic ? 0 : 1) : isPublic ? 2 : 3);
}

/** A DNS name counts as not public: Kilo does not know its address when it chooses. */
function hasPublicEndpoint(node: NodeFacts): boolean {
    const address = kiloAddress(node);
    if (address === undefined) return false;
    return !PRIVATE.some((network) => contains(network, address));
}

/** Where Kilo thinks the node is; its own annotations first, then what it would have made them from. */
function kiloAddress(node: NodeFacts): Address | undefined {
    for (const text of [node.forceEndpoint, node.kiloEndpoint]) {
        const endpoint = text === undefined ? undefined : parseEndpoint(text);
        if (endpoint !== undefined) return endpoint.address;
    }
    const first = node.externalIPs[0] ?? node.internalIPs[0];
    return first === undefined ? undefined : addressOf(first);
}
