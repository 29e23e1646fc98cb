import { key } from "../../support/keys";
import type { ClusterObjects, NodeObject, PeerObject, PeerSpec } from "../../support/kilo-model/objects";

export const NOW = 1_700_000_000;

type Annotations = Readonly<Record<string, string | undefined>>;

interface NodeOptions {
    readonly annotations?: Annotations;
    readonly podCIDRs?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
}

/** Cluster a has pods in 10.1.0.0/16 and nodes a1, a2, …; cluster b in 10.2.0.0/16; and so on. */
const indexOf = (name: string): readonly [number, number] => [name.charCodeAt(0) - 96, Number(name.slice(1))];

export const keyOf = (node: string): string => {
    const [cluster, at] = indexOf(node);
    return key(cluster * 10 + at);
};

export const podsOf = (node: string): string => `10.${indexOf(node).join(".")}.0/24`;

export const endpointOf = (node: string): string => {
    const [cluster, at] = indexOf(node);
    return `198.51.100.${cluster * 10 + at}`;
};

export const internalOf = (node: string): string => `192.168.${indexOf(node).join(".")}`;

/** A node as Kilo leaves it; annotations are without their prefix, and undefined takes one away. */
export function node(
    name: string,
    { annotations = {}, podCIDRs = [podsOf(name)], labels = {} }: NodeOptions = {},
): NodeObject {
    const [cluster, at] = indexOf(name);
    const all: Annotations = {
        key: keyOf(name),
        endpoint: `${endpointOf(name)}:51820`,
        "internal-ip": `${internalOf(name)}/24`,
        "wireguard-ip": `10.${100 + cluster}.0.${at}/16`,
        "last-seen": String(NOW - 10),
        granularity: "full",
        ...annotations,
    };
    const set = Object.entries(all).filter(([, value]) => value !== undefined);
    return {
        metadata: {
            name,
            labels,
            annotations: Object.fromEntries(set.map(([short, value]) => [`kilo.squat.ai/${short}`, value!])),
        },
        spec: { podCIDR: podCIDRs[0]!, podCIDRs },
    };
}

/** The same in a cluster whose granularity is location. */
export const located = (name: string, annotations: Annotations = {}): NodeObject =>
    node(name, { annotations: { granularity: "location", ...annotations } });

/** A Peer that stands for a node, or for a location of nodes that it leads. */
export function peer(
    leader: string,
    more: PeerSpec & { readonly name?: string; readonly carries?: readonly string[] } = {},
): PeerObject {
    const { name = leader, carries = [leader], ...spec } = more;
    return {
        metadata: { name },
        spec: { publicKey: keyOf(leader), allowedIPs: carries.map(podsOf), endpoint: at(endpointOf(leader)), ...spec },
    };
}

/** The same without an endpoint. */
export function peerWithoutEndpoint(leader: string, more: Parameters<typeof peer>[1] = {}): PeerObject {
    const { metadata, spec } = peer(leader, more);
    const { endpoint: _, ...rest } = spec!;
    return { metadata: metadata!, spec: rest };
}

export const at = (ip: string, port = 51820): NonNullable<PeerSpec["endpoint"]> => ({ dnsOrIP: { ip }, port });

export const named = (dns: string, port = 51820): NonNullable<PeerSpec["endpoint"]> => ({ dnsOrIP: { dns }, port });

export const cluster = (nodes: readonly NodeObject[], peers: readonly PeerObject[] = []): ClusterObjects => ({
    nodes,
    peers,
});

/** Two clusters of one node each, joined. */
export const pair = (): { a: ClusterObjects; b: ClusterObjects } => ({
    a: cluster([node("a1")], [peer("b1")]),
    b: cluster([node("b1")], [peer("a1")]),
});

/** A pod of a node: the first letter is the cluster. */
export const pod = (name: string) => ({ cluster: name.charAt(0), node: name });

export const host = (name: string) => ({ ...pod(name), host: true });

export const added = (object: PeerObject) => ({ type: "ADDED", object }) as const;

export const modified = (object: PeerObject) => ({ type: "MODIFIED", object }) as const;

export const deleted = (object: PeerObject) => ({ type: "DELETED", object }) as const;
