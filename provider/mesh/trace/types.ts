import type { LivePeer } from "../../kilo/peer";
import type { KnownNode } from "../../kilo/types";
import type { Address } from "../../net/address";
import type { ClusterSpec } from "../types";

/** A cluster as one look found it. */
export interface TracedCluster {
    readonly spec: ClusterSpec;
    readonly nodes: readonly KnownNode[];
    readonly peers: readonly LivePeer[];
    /** Keys that each node had a handshake with. */
    readonly handshakes: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface TraceInput {
    /** Those that could be read. */
    readonly clusters: Readonly<Record<string, TracedCluster>>;
    readonly unresolvable: readonly string[];
    readonly resolved: Readonly<Record<string, string>>;
}

/** Where a packet starts or ends; without a node it is a service or another address behind the cluster. */
export interface Place {
    readonly cluster: string;
    readonly node?: string;
    readonly address: Address;
}

export interface NodeAt {
    readonly cluster: string;
    readonly node: string;
}

export type Hop =
    /** `starts` · `leader`: handed to the node that has the tunnels · `neighbour`: to the node itself · `arrives` */
    | ({ readonly kind: "starts" | "leader" | "neighbour" | "arrives" } & NodeAt)
    | {
          readonly kind: "tunnel";
          readonly from: NodeAt;
          readonly to: NodeAt;
          /** The peer in the cluster it leaves, and the network of it that matches; absent inside a cluster. */
          readonly peer?: string;
          readonly network: string;
          readonly endpoint?: string;
          readonly allowedIPs: readonly string[];
          /** The peer in the other cluster whose networks cover the source. */
          readonly accepted?: string;
          /** Who had a handshake with the other since Kilo last reconfigured it. */
          readonly seenBy: { readonly from: boolean; readonly to: boolean };
      };

/** The first thing that keeps a packet from getting there. */
export type BreakCode =
    | "NodeNotReady"
    | "Frozen"
    | "OwnNetworkReplaced"
    | "NoRoute"
    | "NetworkContested"
    | "PeerOfOwnNode"
    | "NobodyHasKey"
    | "NotLeader"
    | "PeerMissing"
    | "PresharedKey"
    | "EndpointInTunnel"
    | "NoEndpoint"
    | "EndpointReset"
    | "NobodyDials"
    | "SourceRefused"
    | "WrongNode"
    | "RoutingLoop";

export interface Break {
    readonly code: BreakCode;
    readonly at: NodeAt;
    readonly message: string;
    /** The peer to look at, in the cluster of `at`. */
    readonly peer?: string;
    /** The cluster whose peer led there. */
    readonly via?: string;
}

export interface Leg {
    readonly hops: readonly Hop[];
    readonly breaks?: Break;
}
