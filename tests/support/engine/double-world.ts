import { nodeObject } from "../../../tools/clusters/node-spec";
import { type ApiDouble, type DoubleNode, startApiDouble } from "../api-double";
import { type FaultProxy, startFaultProxy } from "../fault-proxy";
import { PeerInvariants } from "../peer-invariants";
import { claimOf, type MemberCluster } from "./member-cluster";
import { MeshWorld, type Worlds } from "./mesh-world";

export interface DoubleMember extends MemberCluster {
    readonly double: ApiDouble;
}

/** Clusters on the API double: a new world takes milliseconds. */
export async function startDoubleWorld(names: readonly string[]): Promise<MeshWorld<DoubleMember>> {
    const clusters = await Promise.all(names.map(startCluster));
    return new MeshWorld(clusters, async () => {
        await Promise.all(
            clusters.map(async ({ proxy, double }) => {
                await proxy.close();
                await double.close();
            }),
        );
    });
}

export const doubleWorlds = (names: readonly string[]): Worlds => ({ open: () => startDoubleWorld(names) });

async function startCluster(name: string, index: number): Promise<DoubleMember> {
    const double = await startApiDouble();
    const proxy = await startFaultProxy({ kubeconfig: double.kubeconfig, record: true });
    const invariants = new PeerInvariants((peer) => claimOf(peer) !== undefined);
    double.peers.onEvent(invariants.apply);
    return member(name, index, double, proxy, invariants);
}

function member(
    name: string,
    index: number,
    double: ApiDouble,
    proxy: FaultProxy,
    { violations }: PeerInvariants,
): DoubleMember {
    const byHand = async (act: () => unknown): Promise<void> => {
        const before = violations.length;
        act();
        violations.length = before;
    };
    return {
        name,
        index,
        proxy,
        double,
        nodes: async () => [...double.nodes.values()],
        putNode: async (spec) => double.putNode(nodeObject({ name, index }, spec) as DoubleNode),
        deleteNode: async (which) => void double.nodes.delete(which),
        annotate: async (which, annotations) => {
            const node = double.nodes.get(which)!;
            const merged = Object.entries({ ...node.metadata.annotations, ...annotations });
            const kept = merged.filter((entry): entry is [string, string] => entry[1] !== null);
            double.putNode({ ...node, metadata: { ...node.metadata, annotations: Object.fromEntries(kept) } });
        },
        peers: async () => double.peers.all().sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
        createPeer: (which, spec) =>
            byHand(() =>
                double.peers.create(
                    { apiVersion: "kilo.squat.ai/v1alpha1", kind: "Peer", metadata: { name: which }, spec },
                    false,
                ),
            ),
        patchPeer: (which, patch) => byHand(() => double.peers.patch(which, patch, false)),
        deletePeer: (which) => byHand(() => double.peers.delete(which)),
        violations: async () => violations.splice(0),
        onWrite: (listener) => double.peers.onEvent(listener),
    };
}
