import { randomBytes } from "node:crypto";
import { openCluster } from "../../../provider/kube/client";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec, Plan } from "../../../provider/mesh/types";
import type { Host } from "../../../provider/resources/host";
import { clusterNetworks } from "../../../tools/clusters/networks";
import { hasty } from "../hasty-clock";
import { lineOf } from "../peer-line";
import { isOfMesh, type MemberCluster, type Peer } from "./member-cluster";
import { MiniEngine, type Program } from "./mini-engine";

/** Where clean worlds come from, all with clusters of the same names. */
export interface Worlds<W extends MeshWorld = MeshWorld> {
    /** Waits until there is one; it goes back by `close`. */
    open(): Promise<W>;
}

/** Clusters, double or real, each behind a fault proxy and watched write by write; and stacks that mesh them. */
export class MeshWorld<G extends MemberCluster = MemberCluster> {
    /** Seconds per request, whatever the program says: for faults that cost a timeout. */
    timeout: number | undefined;

    constructor(
        readonly clusters: readonly G[],
        readonly close: () => Promise<void>,
    ) {}

    get(name: string): G {
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
            newId: () => randomBytes(10).toString("hex"),
            env: () => undefined,
        };
        return new MiniEngine(host, hasty, owner, (wanted) => this.timeout ?? wanted);
    }

    /** A mesh of all clusters. */
    program(more: Partial<Program> = {}): Program {
        return {
            mesh: "edge",
            clusters: this.clusters.map(specOf),
            requestTimeout: 10,
            ...more,
        };
    }

    /** What a run without faults must come to, by the pure planner and from the clusters as they are. */
    async expected(
        { mesh, clusters, topology, adopt }: Program,
        claims: Readonly<Record<string, string>>,
    ): Promise<Plan> {
        return planMesh({
            mesh,
            clusters,
            claims,
            ...(topology === undefined ? {} : { topology }),
            ...(adopt === undefined ? {} : { adopt }),
            nodes: await this.#each((member) => member.nodes()),
            livePeers: await this.#each((member) => member.peers()),
        });
    }

    /** Every peer of ours as text, by cluster and name. */
    async lines(): Promise<Record<string, Record<string, string>>> {
        return this.#each(async (member) => {
            const ours = (await member.peers()).filter(isOfMesh);
            return Object.fromEntries(ours.map((peer) => [peer.metadata.name, lineOf(peer)] as const));
        });
    }

    /** Peers to the last byte, versions and all: equal before and after means that nothing was written. */
    async bytes(belongs: (peer: Peer) => boolean = () => true): Promise<string> {
        return JSON.stringify(await this.#each(async (member) => (await member.peers()).filter(belongs)));
    }

    /** Foreign peers to the last byte. */
    foreign(): Promise<string> {
        return this.bytes((peer) => !isOfMesh(peer));
    }

    async violations(): Promise<string[]> {
        return Object.entries(await this.#each((member) => member.violations())).flatMap(([name, found]) =>
            found.map((text) => `${name}: ${text}`),
        );
    }

    /** The end of all faults. */
    calm(): void {
        this.timeout = undefined;
        for (const { proxy } of this.clusters) proxy.clear();
    }

    async #each<T>(ask: (member: G) => Promise<T>): Promise<Record<string, T>> {
        return Object.fromEntries(
            await Promise.all(this.clusters.map(async (member) => [member.name, await ask(member)] as const)),
        );
    }
}

function specOf({ name, index, proxy }: MemberCluster): ClusterSpec {
    const { podCIDR, wireguardCIDR, serviceCIDR } = clusterNetworks(index);
    return { name, kubeconfig: proxy.kubeconfig, podCIDRs: [podCIDR], wireguardCIDR, serviceCIDR };
}
