import type { KubeNode, KubePeer, NodeFacts, PeerSpec } from "../kilo/types";
import type { ClusterSpec, Topology } from "./args/schema";
import type { IssueCode } from "./report/findings";

/** The plain values that the mesh core gives and takes. Everything here is data: it can be printed, stored and compared. */

export type { ClusterSpec, MeshSpec, SecretReference, Topology } from "./args/schema";

export type Severity = "error" | "warning" | "info";

/** One finding. `message` is a rendering; scripts should look at `code` and `path`. */
export interface Issue {
    readonly code: IssueCode;
    readonly severity: Severity;
    /** Where in the arguments (`clusters[1].podCIDRs[0]`, `clusters.berlin.podCIDRs[0]`) or in the mesh (`hub/node-1`). */
    readonly path: string;
    readonly message: string;
    /** What to do next. */
    readonly fix: string;
}

/** A peer as it should be in its target. */
export interface PlannedPeer {
    readonly labels: Readonly<Record<string, string>>;
    /** Present when an observed endpoint replaced the configured one. */
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
    /** The same with everybody else's: other meshes' and strangers' peers that are there now. Ours alone where it was not seen. */
    readonly allPeersPerTarget: Readonly<Record<string, number>>;
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
    /** The random id of the mesh. */
    readonly meshId?: string;
    readonly clusters: readonly ClusterSpec[];
    readonly topology?: Topology;
    /** A cluster that is not named here was not seen: its last known nodes keep their peers. */
    readonly nodes: Readonly<Record<string, readonly KubeNode[]>>;
    readonly livePeers?: Readonly<Record<string, readonly KubePeer[]>>;
    /** What a former call returned as `facts`. */
    readonly lastKnown?: Readonly<Record<string, readonly NodeFacts[]>>;
    /** Unix seconds, for all clusters or by cluster: the clock of each one's API server. */
    readonly now?: number | Readonly<Record<string, number>>;
    readonly adopt?: boolean;
    readonly peerWarning?: number;
    /** DNS names that were looked up and do not exist. */
    readonly unresolvable?: readonly string[];
    /** Addresses of DNS names: Kilo chooses leaders by them. */
    readonly resolved?: Readonly<Record<string, string>>;
}

/** The same with the clusters as a map by name. */
export type PlanInputByName = Omit<PlanInput, "clusters"> & {
    readonly clusters: Readonly<Record<string, Omit<ClusterSpec, "name">>>;
};

export interface Plan {
    readonly peers: Readonly<Record<string, Readonly<Record<string, PlannedPeer>>>>;
    /** What is known of every cluster's nodes now: give it to the next call as `lastKnown`. */
    readonly facts: Readonly<Record<string, readonly NodeFacts[]>>;
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
    readonly capacity: Capacity;
    /** Mermaid text. */
    readonly graph: string;
}
