import { type Address, addressOf } from "../net/address";
import { contains, type Network, networkOf } from "../net/cidr";
import { byText } from "../values/show";
import { endpointAddress, kiloEndpointOf } from "./endpoint";
import type { KnownNode, NodeFacts } from "./types";

/** Kilo's idea of private, to the letter: fd00::/16 and not fc00::/7 (docs/kilo.md: leader rule). */
const PRIVATE: readonly Network[] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/16"].map(
    (text) => networkOf(text)!,
);

/**
 * The nodes of a location, the one that Kilo lets lead first: with the annotation and a public endpoint, with the
 * annotation, with a public endpoint, by name. Kilo looks at ready nodes only, so the others come last; where none is ready
 * it has no leader, and ours stays.
 */
export function leaderOrder(
    nodes: readonly KnownNode[],
    { resolved, incumbent }: LeaderHints = {},
): readonly KnownNode[] {
    const anyFresh = nodes.some(isFresh);
    return nodes
        .map((node) => ({ node, rank: anyFresh && !isFresh(node) ? 4 : rank(node, resolved) }))
        .map((each) => (!anyFresh && each.node.key === incumbent ? { ...each, rank: -1 } : each))
        .sort((a, b) => a.rank - b.rank || byText(a.node.name, b.node.name))
        .map(({ node }) => node);
}

export interface LeaderHints {
    /** Addresses of DNS names. */
    readonly resolved?: Readonly<Record<string, string>>;
    /** The key by which the segment is known. Where no node is fresh nothing says that its leader moved. */
    readonly incumbent?: string | undefined;
}

/** Kilo would count on it: seen lately, and with all of its annotations. */
export function isFresh({ stale, kept }: KnownNode): boolean {
    return stale !== true && !hasKept(kept);
}

/** Kilo asks for no WireGuard address before it counts on a node. */
export const isKept = ({ kept }: KnownNode): boolean => hasKept(kept);

const hasKept = (kept: KnownNode["kept"]): boolean => kept?.some((fact) => fact !== "wireguard-ip") === true;

function rank(node: NodeFacts, resolved: LeaderHints["resolved"]): number {
    const leads = node.leader === true;
    const isPublic = hasPublicEndpoint(node, resolved);
    return leads ? (isPublic ? 0 : 1) : isPublic ? 2 : 3;
}

/** Names are resolved before Kilo chooses, so the address decides; one that is not known counts as not public. */
function hasPublicEndpoint(node: NodeFacts, resolved: LeaderHints["resolved"]): boolean {
    const address = kiloAddress(node, resolved);
    if (address === undefined) return false;
    return !PRIVATE.some((network) => contains(network, address));
}

/** Where Kilo thinks the node is; its own annotations first, then what it would have made them from. */
function kiloAddress(node: NodeFacts, resolved: LeaderHints["resolved"]): Address | undefined {
    const endpoint = kiloEndpointOf(node);
    if (endpoint !== undefined) return endpointAddress(endpoint, resolved ?? {});
    const first = node.externalIPs[0] ?? node.internalIPs[0];
    return first === undefined ? undefined : addressOf(first);
}
