/** The parts of a Kubernetes Node that are read. Values come from a cluster and are never trusted. */
export interface KubeNode {
    readonly metadata?: {
        readonly name?: string;
        readonly uid?: string;
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: { readonly podCIDR?: string; readonly podCIDRs?: readonly string[] };
    readonly status?: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] };
}

export interface PeerEndpoint {
    readonly dnsOrIP: { readonly dns?: string; readonly ip?: string };
    readonly port: number;
}

/** Kilo's `Peer` spec as we write it. */
export interface PeerSpec {
    readonly allowedIPs: readonly string[];
    readonly publicKey: string;
    readonly endpoint?: PeerEndpoint;
    readonly persistentKeepalive?: number;
}

/** The parts of a live Peer object that are read. */
export interface KubePeer {
    readonly metadata?: {
        readonly name?: string;
        readonly uid?: string;
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
        readonly deletionTimestamp?: string;
        readonly finalizers?: readonly string[];
    };
    readonly spec?: {
        readonly allowedIPs?: readonly string[];
        readonly publicKey?: string;
        readonly endpoint?: PeerEndpoint;
        readonly persistentKeepalive?: number;
        readonly presharedKey?: string;
    };
}

/**
 * What planning needs to know of one node and nothing volatile. Values are bounded in size but not yet judged:
 * the same facts may be fine in one mesh and a duplicate in another.
 */
export interface NodeFacts {
    readonly name: string;
    /** Tells a node from one that was re-created under its name: a digest of the Node object's uid. */
    readonly uid?: string;
    readonly podCIDRs: readonly string[];
    /** Addresses of the node object, IP literals only. */
    readonly internalIPs: readonly string[];
    readonly externalIPs: readonly string[];
    readonly key?: string;
    readonly wireguardIP?: string;
    /** The internal IP Kilo uses (force-internal-ip before internal-ip); absent when the node has none. */
    readonly kiloInternalIP?: string;
    /** Kilo's annotations say that it has no internal IP: it is a segment of its own (docs/kilo.md: no internal IP). */
    readonly noInternalIP?: boolean;
    readonly granularity?: string;
    readonly location?: string;
    readonly leader?: boolean;
    readonly clustermeshEndpoint?: string;
    readonly forceEndpoint?: string;
    readonly kiloEndpoint?: string;
    /** Does not match the cluster's nodeSelector: its networks are not carried, but it may lead its location. */
    readonly unselected?: boolean;
    /** Annotated to be left out of the mesh. */
    readonly ignored?: boolean;
    /** Has kilo.squat.ai/persistent-keepalive: it opens tunnels by itself. */
    readonly dials?: boolean;
}

/** A node in one run: its facts, and how good they are. */
export interface KnownNode extends NodeFacts {
    /** `last-seen` is too old: Kilo itself no longer counts on the node (docs/kilo.md: ready for 60 seconds). */
    readonly stale?: boolean;
    /** Facts that are missing or unusable now; the last known values are used. Kilo does not count it as ready. */
    readonly kept?: readonly KeptFact[];
}

export type KeptFact = "key" | "endpoint" | "granularity" | "internal-ip" | "pod CIDR" | "wireguard-ip";
