import type { KubeNode, KubePeer, NodeFacts, PeerSpec } from "../kilo/types";

/** The plain values that the mesh core works on. Everything here is data: it can be printed, stored and compared. */

export type Severity = "error" | "warning" | "info";

/** One finding. `message` is a rendering; scripts should look at `code` and `path`. */
export interface Issue {
    readonly code: string;
    readonly severity: Severity;
    /** Where in the arguments (`clusters[1].podCIDRs[0]`) or in the mesh (`hub/node-1`). */
    readonly path: string;
    readonly message: string;
    /** What to do next. */
    readonly fix: string;
}

/** A Secret in another member that holds this cluster's kubeconfig (Cluster-API style). */
export interface SecretReference {
    readonly cluster: string;
    readonly namespace: string;
    readonly name: string;
    readonly key: string;
}

/** The plain (resolved) form of the user's `ClusterArgs`: what `planMesh` takes. */
export interface ClusterSpec {
    readonly name: string;
    readonly kubeconfig?: string;
    readonly context?: string;
    readonly local?: boolean;
    readonly kubeconfigSecret?: SecretReference;
    readonly podCIDRs?: readonly string[];
    readonly wireguardCIDR?: string;
    readonly serviceCIDR?: string;
    readonly additionalCIDRs?: readonly string[];
    readonly nodeCIDRs?: readonly string[];
    readonly allowedNetworks?: readonly string[];
    readonly acceptedNetworks?: readonly string[];
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly wireguardPort?: number;
    readonly persistentKeepalive?: number;
    readonly nat?: boolean;
    readonly discoveredEndpoints?: boolean;
    readonly allowEmpty?: boolean;
}

export interface Topology {
    readonly hubs?: readonly string[];
    readonly links?: readonly { readonly a: string; readonly b: string }[];
}

/** A peer as it should be in its target. */
export interface PlannedPeer {
    readonly labels: Readonly<Record<string, string>>;
    /** Present when an observed endpoint replaced the configured one: see `annotation` in names.ts. */
    readonly annotations?: Readonly<Record<string, string>>;
    readonly spec: PeerSpec;
}

export interface SkippedNode {
    readonly cluster: string;
    readonly node: string;
    readonly reason: SkipReason;
    readonly message: string;
    /** Set when the node is skipped in this target only. */
    readonly target?: string;
}

export type SkipReason =
    | "NodeNoPodCIDR"
    | "NodePodCIDROutOfRange"
    | "NodePodCIDRDuplicate"
    | "NodeNoWireguardIP"
    | "WGIPInvalid"
    | "WGIPOutOfRange"
    | "WGIPDuplicate"
    | "NodeNoPublicKey"
    | "NodePublicKeyInvalid"
    | "NodePublicKeyDuplicate"
    | "NodeEndpointInvalid"
    | "PeerKeyForeign"
    | "PeerNetworkForeign"
    | "PeerNameForeign";

export interface Capacity {
    /** Peers that will exist in each target, ours only. */
    readonly peersPerTarget: Readonly<Record<string, number>>;
    /** Peer objects in the whole mesh. */
    readonly objects: number;
    /** WireGuard peers that one tunnel-holding node of each target will have: its own segments but itself, and ours. */
    readonly wireguardPeersPerNode: Readonly<Record<string, number>>;
    /** Rough size of that node's WireGuard configuration. */
    readonly configBytesPerNode: Readonly<Record<string, number>>;
}

export interface PlanInput {
    readonly mesh: string;
    readonly claims?: Readonly<Record<string, string>>;
    readonly clusters: readonly ClusterSpec[];
    readonly topology?: Topology;
    readonly nodes: Readonly<Record<string, readonly KubeNode[]>>;
    readonly livePeers?: Readonly<Record<string, readonly KubePeer[]>>;
    readonly lastKnown?: Readonly<Record<string, readonly NodeFacts[]>>;
    /** Unix seconds. */
    readonly now?: number;
    readonly adopt?: boolean;
    readonly peerWarning?: number;
    /** DNS names that were looked up and do not exist. */
    readonly unresolvable?: readonly string[];
}

export interface Plan {
    readonly peers: Readonly<Record<string, Readonly<Record<string, PlannedPeer>>>>;
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
    readonly capacity: Capacity;
    /** Mermaid text. */
    readonly graph: string;
}

/** The arguments of one mesh, checked. */
export interface MeshSpec {
    /** Name of the mesh. */
    readonly mesh: string;
    readonly clusters: readonly ClusterSpec[];
    readonly topology?: Topology;
    readonly onUnreachable?: "skip" | "fail";
    readonly deleteUnreachable?: boolean;
    readonly adopt?: boolean;
    /** Seconds. */
    readonly requestTimeout?: number;
    readonly peerWarning?: number;
}

/** What `planFromFacts` takes: as `PlanInput`, with nodes already read. */
export interface FactsInput {
    readonly mesh: string;
    readonly claims?: Readonly<Record<string, string>>;
    readonly clusters: readonly ClusterSpec[];
    readonly topology?: Topology;
    readonly facts: Readonly<Record<string, readonly NodeFacts[]>>;
    /** Per target, what its nodes observed: public key to `ip:port`. */
    readonly discovered?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly livePeers?: Readonly<Record<string, readonly KubePeer[]>>;
    readonly adopt?: boolean;
    readonly peerWarning?: number;
    readonly unresolvable?: readonly string[];
}

export interface FactsPlan extends Plan {
    /** Per target, the live peers that `adopt` takes over. Those that are not planned are to be deleted. */
    readonly adopted: Readonly<Record<string, readonly string[]>>;
}
