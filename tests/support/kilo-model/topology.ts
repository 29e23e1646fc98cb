import { type Address, type Cidr, cidrOf, mask } from "./addresses";
import { type Endpoint, isPublic, type Resolve, resolved } from "./endpoint";
import { groupBy } from "./group-by";
import { type Granularity, type NodeFacts, whyNotReady } from "./node-facts";

/** A node that takes part: what readiness asks for is there. */
export interface ReadyNode {
    readonly facts: NodeFacts;
    readonly name: string;
    readonly key: string;
    readonly podCIDR: Cidr;
    readonly at: Endpoint;
}

/** What one WireGuard peer stands for inside a cluster. */
export interface Segment {
    readonly name: string;
    readonly leader: ReadyNode;
    readonly nodes: readonly ReadyNode[];
    /** What the interface of the leader has; the annotation lags behind it. */
    readonly wireguardIP: Address | undefined;
    readonly allowedIPs: readonly Cidr[];
    /** Those of them that every other node has a route to. */
    readonly routed: readonly Cidr[];
}

export interface Topology {
    readonly segments: readonly Segment[];
    readonly segmentOf: ReadonlyMap<string, Segment>;
    /** Nodes that a node reaches without a tunnel, itself left out. */
    readonly neighboursOf: (name: string) => readonly ReadyNode[];
    /** A name that has no address: the agents skip the whole update (docs/kilo.md). */
    readonly unresolved: string | undefined;
}

interface Situation {
    readonly now: number | undefined;
    readonly resolve: Resolve;
}

/** docs/kilo.md, granularity and leaders: what an agent with this granularity makes of the nodes of its cluster. */
export function topology(nodes: readonly NodeFacts[], granularity: Granularity, situation: Situation): Topology {
    const { ready, unresolved } = readyNodes(nodes, situation);
    const groups = groupBy(ready, (node) => segmentName(node, granularity));
    const subnet = ready.find(({ facts }) => facts.wireguardIP !== undefined)?.facts.wireguardIP;
    const leaders = new Map([...groups].map(([name, members]) => [name, electLeader(members)]));
    const endpoints = new Set([...leaders.values()].map(({ at }) => at.ip));
    const segments = [...groups]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, members], at) => segment(name, leaders.get(name)!, members, nth(subnet, at + 1), endpoints));
    const byLocation = groupBy(ready, ({ facts }) => facts.location);
    const segmentOf = new Map(segments.flatMap((found) => found.nodes.map(({ name }) => [name, found])));
    return {
        segments,
        segmentOf,
        unresolved,
        neighboursOf: (name) => {
            const own = segmentOf.get(name);
            const self = own?.nodes.find((node) => node.name === name);
            if (own === undefined || self === undefined) return [];
            const near =
                granularity === "cross" && self.facts.internalIP ? byLocation.get(self.facts.location) : own.nodes;
            return (near ?? []).filter(({ name: other, facts }) => other !== name && facts.internalIP !== undefined);
        },
    };
}

function readyNodes(nodes: readonly NodeFacts[], { now, resolve }: Situation) {
    const ready: ReadyNode[] = [];
    let unresolved: string | undefined;
    for (const facts of [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (whyNotReady(facts, now) !== undefined) continue;
        const { name, key, podCIDR, endpoint } = facts;
        const at = resolved(endpoint!, resolve);
        if (at === undefined) unresolved ??= endpoint!.host;
        else ready.push({ facts, name, key: key!, podCIDR: podCIDR!, at });
    }
    return { ready, unresolved };
}

function segmentName({ name, facts }: ReadyNode, granularity: Granularity): string {
    return granularity === "location" && facts.internalIP !== undefined ? `location:${facts.location}` : `node:${name}`;
}

/** Among nodes sorted by name: a hint with a public address, then a hint, then a public address, then the first. */
function electLeader(members: readonly ReadyNode[]): ReadyNode {
    const hinted = members.filter(({ facts }) => facts.leader);
    return hinted.find(({ at }) => isPublic(at)) ?? hinted[0] ?? members.find(({ at }) => isPublic(at)) ?? members[0]!;
}

function segment(
    name: string,
    leader: ReadyNode,
    nodes: readonly ReadyNode[],
    wireguardIP: Address | undefined,
    endpoints: ReadonlySet<Address>,
): Segment {
    const hosts = nodes.flatMap(({ facts }) => (facts.internalIP ? [facts.internalIP.address] : []));
    const others = [
        ...nodes.map(({ podCIDR }) => podCIDR),
        ...(wireguardIP === undefined ? [] : [cidrOf(wireguardIP)]),
        ...nodes.flatMap(({ facts }) => facts.allowedLocationIPs),
    ];
    return {
        name,
        leader,
        nodes,
        wireguardIP,
        allowedIPs: distinct([...others, ...hosts.map((host) => cidrOf(host))]),
        // Inside a cluster Kilo routes no endpoint into a tunnel (docs/kilo.md: endpoint inside allowed IPs).
        routed: distinct([...others, ...hosts.filter((host) => !endpoints.has(host)).map((host) => cidrOf(host))]),
    };
}

const distinct = (cidrs: readonly Cidr[]): readonly Cidr[] => [
    ...new Map(cidrs.map((cidr) => [cidr.id, cidr])).values(),
];

/** docs/kilo.md, wireguard-ip: addresses are given out one after the other over the sorted segments. */
function nth(subnet: Cidr | undefined, at: number): Address | undefined {
    if (subnet === undefined) return undefined;
    const base = mask(subnet.address, subnet.length);
    return typeof base === "number" ? base + at : base + BigInt(at);
}
