import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { CLAIM_LABEL, MESH_LABEL } from "../../../provider/values/labels";
import type { NodeSpec } from "../../../tools/clusters";
import type { PeerEvent } from "../api-double";
import type { FaultProxy } from "../fault-proxy";

export type Peer = KubePeer & { readonly metadata: { readonly name: string; readonly uid: string } };

/** One cluster, double or real, changed by somebody's hand and not by us. We reach it through the proxy. */
export interface MemberCluster {
    readonly name: string;
    readonly index: number;
    readonly proxy: FaultProxy;
    nodes(): Promise<readonly KubeNode[]>;
    /** Makes or replaces a node. */
    putNode(spec: NodeSpec): Promise<void>;
    deleteNode(name: string): Promise<void>;
    /** Sets annotations of a node; null removes one. */
    annotate(node: string, annotations: Readonly<Record<string, string | null>>): Promise<void>;
    /** By name. */
    peers(): Promise<readonly Peer[]>;
    createPeer(name: string, spec: Record<string, unknown>): Promise<void>;
    /** A JSON merge patch. */
    patchPeer(name: string, patch: unknown): Promise<void>;
    deletePeer(name: string): Promise<void>;
    /**
     * Since it was last asked, over every write until now: moments at which a peer of ours shared a key or a network
     * with another one. What the hand causes breaks no promise of ours and is not counted.
     */
    violations(): Promise<string[]>;
    /** Calls with every write at the moment it takes effect; absent where writes are seen late. */
    readonly onWrite?: (listener: (event: PeerEvent) => void) => void;
}

export const isOfMesh = (peer: KubePeer): boolean => peer.metadata?.labels?.[MESH_LABEL] !== undefined;

export const claimOf = (peer: KubePeer): string | undefined => peer.metadata?.labels?.[CLAIM_LABEL];
