import { randomBytes } from "node:crypto";
import { openCluster } from "../../../provider/kube/client";
import { type Clock, systemClock } from "../../../provider/kube/clock";
import { CLAIM_LABEL, lineOfLive, MESH_LABEL, planMesh } from "../../../provider/mesh/index";
import type { ClusterSpec, Plan } from "../../../provider/mesh/types";
import type { Host } from "../../../provider/resources/host";
import { clusterNetworks } from "../../../tools/clusters/networks";
import { type NodeSpec, nodeObject } from "../../../tools/clusters/node-spec";
import { type ApiDouble, type DoubleNode, type StoredPeer, startApiDouble } from "../api-double";
import { type FaultProxy, startFaultProxy } from "../fault-proxy";
import { PeerInvariants } from "../peer-invariants";
import { MiniEngine, type Program } from "./mini-engine";

/** Sleeps a fiftieth of what it is told: retries and Retry-After are waited for, but not by us. */
export const hasty: Clock = {
    ...systemClock,
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 50, signal),
};

export interface DoubleCluster {
    readonly name: string;
    readonly index: number;
    readonly double: ApiDouble;
    readonly proxy: FaultProxy;
    readonly invariants: PeerInvariants;
    /** Makes or replaces a node. */
    node(spec: NodeSpec): void;
}

/** Clusters on the API double, each behind a fault proxy and watched write by write; and stacks that mesh them. */
export class DoubleWorld {
    /** Seconds per request, whatever the program says: for faults that cost a timeout. */
    timeout: number | undefined;

    private constructor(readonly clusters: readonly DoubleCluster[]) {}

    static async start(names: readonly string[]): Promise<DoubleWorld> {
        return new DoubleWorld(await Promise.all(names.map(startCluster)));
    }

    get(name: string): DoubleCluster {
        const found = this.clusters.find((cluster) => cluster.name === name);
        if (found === undefined) throw new Error(`there is no cluster ${name}`);
        return found;
    }

    /** A stack of its own: its own state and claims, the same clusters. */
    engine(owner?: string): MiniEngine {
        const quiet = { warn: () => undefined, progress: () => undefined };
        const host: Host = {
            connect: (access, requestTimeoutSeconds) =>
                openCluster(access, { requestTimeoutSeconds: this.timeout ?? requestTimeoutSeconds, clock: hasty }),
            reporter: () => quiet,
            now: () => new Date(),
            newClaim: () => randomBytes(10).toString("hex"),
            env: () => undefined,
        };
        return new MiniEngine(host, hasty, owner, (wanted) => this.timeout ?? wanted);
    }

    /** A mesh of all clusters, or of those named. */
    program(more: Partial<Program> = {}, names = this.clusters.map(({ name }) => name)): Program {
        return {
            mesh: "edge",
            clusters: names.map((name) => this.spec(name)),
            requestTimeout: 10,
            ...more,
        };
    }

    spec(name: string): ClusterSpec {
        const { index, proxy } = this.get(name);
        const { podCIDR, wireguardCIDR, serviceCIDR } = clusterNetworks(index);
        return { name, kubeconfig: proxy.kubeconfig, podCIDRs: [podCIDR], wireguardCIDR, serviceCIDR };
    }

    /** What a run without faults must come to, by the pure planner and from the clusters as they are. */
    expected({ mesh, clusters, topology, adopt }: Program, claims: Readonly<Record<string, string>>): Plan {
        return planMesh({
            mesh,
            clusters,
            claims,
            ...(topology === undefined ? {} : { topology }),
            ...(adopt === undefined ? {} : { adopt }),
            nodes: Object.fromEntries(clusters.map(({ name }) => [name, [...this.get(name).double.nodes.values()]])),
            livePeers: Object.fromEntries(clusters.map(({ name }) => [name, this.get(name).double.peers.all()])),
        });
    }

    /** Every peer as text, by cluster and name, for those that `belongs` takes. */
    lines(belongs: (peer: StoredPeer) => boolean): Record<string, Record<string, string>> {
        return Object.fromEntries(
            this.clusters.map(({ name, double }) => [
                name,
                Object.fromEntries(
                    double.peers
                        .all()
                        .filter(belongs)
                        .map((peer) => [peer.metadata.name, lineOfLive(peer)] as const)
                        .sort(([a], [b]) => (a < b ? -1 : 1)),
                ),
            ]),
        );
    }

    /** Foreign peers to the last byte. */
    foreign(): string {
        const all = this.clusters.map(({ name, double }) => [
            name,
            double.peers.all().filter((peer) => !isOfMesh(peer)),
        ]);
        return JSON.stringify(all);
    }

    violations(): string[] {
        return this.clusters.flatMap(({ name, invariants }) => invariants.violations.map((text) => `${name}: ${text}`));
    }

    /** The end of all faults. */
    calm(): void {
        this.timeout = undefined;
        for (const { proxy } of this.clusters) proxy.clear();
    }

    async close(): Promise<void> {
        await Promise.all(
            this.clusters.map(async ({ proxy, double }) => {
                await proxy.close();
                await double.close();
            }),
        );
    }
}

export const isOfMesh = (peer: StoredPeer): boolean => peer.metadata.labels?.[MESH_LABEL] !== undefined;

export const claimOf = (peer: StoredPeer): string | undefined => peer.metadata.labels?.[CLAIM_LABEL];

async function startCluster(name: string, index: number): Promise<DoubleCluster> {
    const double = await startApiDouble();
    const proxy = await startFaultProxy({ kubeconfig: double.kubeconfig, record: true });
    const invariants = new PeerInvariants((peer) => peer.metadata.labels?.[CLAIM_LABEL] !== undefined);
    double.peers.onEvent(invariants.apply);
    return {
        name,
        index,
        double,
        proxy,
        invariants,
        node: (spec) => double.putNode(nodeObject({ name, index }, spec) as DoubleNode),
    };
}
