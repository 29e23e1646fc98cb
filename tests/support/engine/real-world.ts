import type { KubeNode } from "../../../provider/kilo/types";
import { type LocalCluster, type LocalClusters, startClusters } from "../../../tools/clusters";
import { type FaultProxy, startFaultProxy } from "../fault-proxy";
import { type PeerWatch, watchPeers } from "../watch-peers";
import { claimOf, type MemberCluster } from "./member-cluster";
import { MeshWorld, type Worlds } from "./mesh-world";

export interface RealMember extends MemberCluster {
    readonly cluster: LocalCluster;
}

export interface RealWorld extends MeshWorld<RealMember> {
    /** The database of its clusters. */
    readonly database: LocalClusters["database"];
}

export interface RealWorlds extends Worlds<RealWorld> {
    stop(): Promise<void>;
}

interface Set {
    readonly clusters: LocalClusters;
    readonly watches: ReadonlyMap<string, PeerWatch>;
}

/** Sets of real API servers, each lent to one world at a time, with new proxies and nothing in it. */
export async function startRealWorlds(names: readonly string[], sets = 1): Promise<RealWorlds> {
    const all = await Promise.all(Array.from({ length: sets }, () => startSet(names)));
    const free = [...all];
    const waiting: ((set: Set) => void)[] = [];
    const giveBack = (set: Set): void => {
        const next = waiting.shift();
        if (next === undefined) free.push(set);
        else next(set);
    };
    return {
        async open() {
            const set = free.pop() ?? (await new Promise<Set>((resolve) => waiting.push(resolve)));
            return openWorld(set, () => giveBack(set));
        },
        async stop() {
            for (const { watches } of all) for (const watch of watches.values()) await watch.stop();
            await Promise.all(all.map(({ clusters }) => clusters.stop()));
        },
    };
}

async function startSet(names: readonly string[]): Promise<Set> {
    const clusters = await startClusters({ names });
    const watches = new Map<string, PeerWatch>();
    for (const { name, adminKubeconfig } of clusters.clusters) {
        watches.set(name, await watchPeers(adminKubeconfig, (peer) => claimOf(peer) !== undefined));
    }
    return { clusters, watches };
}

async function openWorld({ clusters, watches }: Set, giveBack: () => void): Promise<RealWorld> {
    const members = await Promise.all(
        clusters.clusters.map(async (cluster) => {
            const proxy = await startFaultProxy({ kubeconfig: cluster.kubeconfig, record: true });
            const member = realMember(cluster, proxy, watches.get(cluster.name)!);
            await empty(member);
            return member;
        }),
    );
    const world = new MeshWorld(members, async () => {
        await Promise.all(members.map(({ proxy }) => proxy.close()));
        giveBack();
    });
    return Object.assign(world, { database: clusters.database });
}

async function empty(member: RealMember): Promise<void> {
    for (const { metadata } of await member.nodes()) await member.deleteNode(metadata?.name ?? "");
    for (const { metadata } of await member.peers()) await member.cluster.deletePeer(metadata.name);
    await member.violations();
}

/** The watch of a real server sees writes late, so the hand's are settled before we go on. */
function realMember(cluster: LocalCluster, proxy: FaultProxy, watch: PeerWatch): RealMember {
    const { violations } = watch.invariants;
    const byHand = async (act: () => Promise<unknown>): Promise<void> => {
        await watch.settle();
        const before = violations.length;
        await act();
        await watch.settle();
        violations.length = before;
    };
    return {
        name: cluster.name,
        index: cluster.index,
        proxy,
        cluster,
        nodes: async () => (await cluster.request<{ items: KubeNode[] }>("GET", "/api/v1/nodes")).items,
        putNode: (spec) => cluster.putNode(spec),
        deleteNode: (which) => cluster.deleteNode(which),
        annotate: (which, annotations) => cluster.patchNodeAnnotations(which, annotations),
        peers: () => cluster.listPeers(),
        createPeer: (name, spec) =>
            byHand(() => cluster.createPeer({ name, spec } as Parameters<LocalCluster["createPeer"]>[0])),
        patchPeer: (name, patch) => byHand(() => cluster.patchPeer(name, patch)),
        deletePeer: (name) => byHand(() => cluster.deletePeer(name)),
        async violations() {
            await watch.settle();
            return violations.splice(0);
        },
    };
}
