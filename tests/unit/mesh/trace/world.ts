import type { LivePeer } from "../../../../provider/kilo/peer";
import type { KnownNode } from "../../../../provider/kilo/types";
import { type Trace, tracer } from "../../../../provider/mesh/trace/trace";
import type { Hop, TracedCluster, TraceInput } from "../../../../provider/mesh/trace/types";
import { addressOf } from "../../../../provider/net/address";
import { key } from "../../../support/keys";

/** `a1` is node 1 of cluster `a`: pods 10.1.1.0/24, endpoint 192.0.2.11. `b2`: 10.2.2.0/24 and 192.0.2.22. */
const numbers = (name: string): { cluster: number; node: number; seed: number } => {
    const [cluster, node] = [name.charCodeAt(0) - 96, Number(name.slice(1))];
    return { cluster, node, seed: cluster * 10 + node };
};

export const keyOf = (node: string): string => key(numbers(node).seed);
export const podsOf = (node: string): string => `10.${numbers(node).cluster}.${numbers(node).node}.0/24`;
export const internalOf = (node: string): string => `172.16.${numbers(node).cluster}.${numbers(node).node}`;
const endpointOf = (node: string): string => `192.0.2.${numbers(node).seed}`;

/** A node that Kilo counts on; undefined takes a fact away. */
export function node(name: string, more: { [K in keyof KnownNode]?: KnownNode[K] | undefined } = {}): KnownNode {
    const all = {
        name,
        podCIDRs: [podsOf(name)],
        internalIPs: [],
        externalIPs: [],
        key: keyOf(name),
        kiloInternalIP: internalOf(name),
        kiloEndpoint: `${endpointOf(name)}:51820`,
        granularity: "full",
        ...more,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as KnownNode;
}

type Spec = LivePeer["spec"];
export type PeerParts = Partial<Omit<LivePeer, "spec">> &
    Partial<Omit<Spec, "endpoint">> & { readonly endpoint?: Spec["endpoint"] | null };

/** The peer that stands for a node, as a plan has it; `null` takes the endpoint away. */
export function peer(of: string, { endpoint, ...more }: PeerParts = {}): LivePeer {
    const { allowedIPs = [podsOf(of)], publicKey = keyOf(of), persistentKeepalive, ...rest } = more;
    const at = endpoint === undefined ? { dnsOrIP: { ip: endpointOf(of) }, port: 51820 } : endpoint;
    return {
        name: `peer-${of}`,
        uid: "u",
        labels: {},
        annotations: {},
        unexpected: [],
        spec: {
            allowedIPs,
            publicKey,
            ...(at === null ? {} : { endpoint: at }),
            ...(persistentKeepalive === undefined ? {} : { persistentKeepalive }),
        },
        ...rest,
    };
}

export interface Parts {
    readonly nodes?: readonly KnownNode[];
    readonly peers?: readonly LivePeer[];
    readonly nat?: boolean;
    /** Node to the nodes that it had a handshake with. */
    readonly seen?: Readonly<Record<string, readonly string[]>>;
}

function cluster(name: string, { nodes = [], peers = [], nat = false, seen = {} }: Parts): TracedCluster {
    const handshakes = new Map(Object.entries(seen).map(([from, to]) => [from, new Set(to.map(keyOf))]));
    return { spec: { name, ...(nat ? { nat } : {}) }, nodes, peers, handshakes };
}

/** `a` and `b` with two nodes each, every node a peer in the other cluster, and what is different about them. */
export function world(parts: Readonly<Record<string, Parts>> = {}, more: Partial<TraceInput> = {}): TraceInput {
    const all: Record<string, Parts> = {
        ...parts,
        a: { nodes: [node("a1"), node("a2")], peers: [peer("b1"), peer("b2")], ...parts.a },
        b: { nodes: [node("b1"), node("b2")], peers: [peer("a1"), peer("a2")], ...parts.b },
    };
    const clusters = Object.fromEntries(Object.entries(all).map(([name, each]) => [name, cluster(name, each)]));
    return { clusters, unresolvable: [], resolved: {}, ...more };
}

/** From a pod of one node to a pod of another one, or to an address of the node or cluster `to`. */
export function traced(input: TraceInput, from: string, to: string, address?: string): Trace {
    const pod = (name: string) => addressOf(podsOf(name).replace(".0/24", ".5"))!;
    const isNode = to.length > 1;
    return tracer(input)(
        { cluster: from[0]!, node: from, address: pod(from) },
        {
            cluster: to[0]!,
            ...(isNode ? { node: to } : {}),
            address: address === undefined ? pod(to) : addressOf(address)!,
        },
    );
}

const step = (hop: Hop): string =>
    hop.kind === "tunnel"
        ? `${hop.from.node} =${hop.peer === undefined ? "" : ` ${hop.peer}`} ${hop.network}=> ${hop.to.node}`
        : `${hop.kind} ${hop.node}`;

/** The way there, one word or arrow a hop. */
export const way = ({ there }: Trace): readonly string[] => there.hops.map(step);

/** What breaks on the way there, or else on the way back. */
export const breakOf = ({ there, back }: Trace) => there.breaks ?? back?.breaks;
