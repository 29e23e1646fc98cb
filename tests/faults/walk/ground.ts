import { lineOfLive } from "../../../provider/mesh/index";
import type { KubePeer } from "../../../provider/mesh/types";
import type { LocalCluster, NodeSpec } from "../../../tools/clusters";
import type { DoubleCluster } from "../../support/engine/double-world";
import type { FaultProxy } from "../../support/fault-proxy";
import type { PeerInvariants } from "../../support/peer-invariants";

export type Peer = KubePeer & { readonly metadata: { readonly name: string; readonly uid: string } };

/** One cluster under the walk's feet, double or real, changed by somebody's hand and not by us. */
export interface Ground {
    readonly name: string;
    readonly index: number;
    readonly proxy: FaultProxy;
    putNode(spec: NodeSpec): Promise<void>;
    deleteNode(name: string): Promise<void>;
    peers(): Promise<readonly Peer[]>;
    createPeer(name: string, spec: Record<string, unknown>): Promise<void>;
    /** A JSON merge patch. */
    patchPeer(name: string, patch: unknown): Promise<void>;
    deletePeer(name: string): Promise<void>;
}

/** Whatever the hand does breaks no promise of ours: what it causes is not counted. */
export function doubleGround({ name, index, proxy, double, invariants, node }: DoubleCluster): Ground {
    const byHand = async (act: () => unknown): Promise<void> => {
        const before = invariants.violations.length;
        act();
        invariants.violations.length = before;
    };
    return {
        name,
        index,
        proxy,
        putNode: async (spec) => node(spec),
        deleteNode: async (which) => void double.nodes.delete(which),
        peers: async () => double.peers.all(),
        createPeer: (which, spec) =>
            byHand(() =>
                double.peers.create(
                    { apiVersion: "kilo.squat.ai/v1alpha1", kind: "Peer", metadata: { name: which }, spec },
                    false,
                ),
            ),
        patchPeer: (which, patch) => byHand(() => double.peers.patch(which, patch, false)),
        deletePeer: (which) => byHand(() => double.peers.delete(which)),
    };
}

/** The watch of a real server sees the hand's writes late, so they are settled before we go on. */
export function realGround(cluster: LocalCluster, proxy: FaultProxy, watch: PeerInvariants): Ground {
    const byHand = async (act: () => Promise<unknown>): Promise<void> => {
        const before = watch.violations.length;
        const events = watch.events;
        await act();
        for (let round = 0; watch.events === events && round < 200; round++) {
            await new Promise((resolve) => setTimeout(resolve, 25));
        }
        watch.violations.length = before;
    };
    return {
        name: cluster.name,
        index: cluster.index,
        proxy,
        putNode: (spec) => cluster.putNode(spec),
        deleteNode: (which) => cluster.deleteNode(which),
        peers: () => cluster.listPeers(),
        createPeer: (name, spec) =>
            byHand(() => cluster.createPeer({ name, spec } as Parameters<LocalCluster["createPeer"]>[0])),
        patchPeer: (name, patch) => byHand(() => cluster.patchPeer(name, patch)),
        deletePeer: (name) => byHand(() => cluster.deletePeer(name)),
    };
}

export const textOf = (peer: Peer): string => `${peer.metadata.uid} ${lineOfLive(peer)}`;
