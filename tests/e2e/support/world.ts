import { type LocalCluster, type LocalClusters, nodeSpecs, startClusters } from "../../../tools/clusters";
import type { ServerLife } from "../../../tools/clusters/server-life";
import { type Toolchain, toolchain } from "../../../tools/toolchain";
import type { WatchedPeer } from "../../support/peer-invariants";
import { type PeerWatch, watchPeers } from "../../support/watch-peers";
import { type MeshEntry, Project, type ProjectOptions } from "./project";
import { until } from "./until";

/** Real clusters with Kilo nodes, watched for the whole life of a test file, and the projects that mesh them. */
export interface World {
    readonly tools: Toolchain;
    readonly clusters: LocalClusters;
    get(name: string): LocalCluster;
    project(options?: ProjectOptions): Promise<Project>;
    /** Names of the peers in a cluster, sorted. */
    peers(cluster: string): Promise<string[]>;
    /** As it was at the start: every server runs, the clusters have their nodes again and no peers. */
    reset(): Promise<void>;
    /** Ends everything; throws when two peers ever shared a key or a network. */
    stop(): Promise<void>;
}

const isOurs = ({ metadata }: WatchedPeer): boolean => metadata.labels?.["kilo-clustermesh.io/claim"] !== undefined;

export async function startWorld(names: readonly string[], nodes = 3): Promise<World> {
    const tools = await toolchain();
    const clusters = await startClusters({ names, tools });
    const projects: Project[] = [];
    const watches: PeerWatch[] = [];
    for (const cluster of clusters.clusters) {
        await cluster.putNodes(nodeSpecs(cluster, nodes));
        watches.push(await watchPeers(cluster.adminKubeconfig, isOurs));
    }
    return {
        tools,
        clusters,
        get: (name) => clusters.get(name),
        async project(options) {
            const project = await Project.create(tools, options);
            projects.push(project);
            return project;
        },
        async reset() {
            await startAgain(clusters.database);
            for (const cluster of clusters.clusters) {
                await startAgain(cluster);
                await restore(cluster, nodes);
            }
        },
        peers: async (name) => (await clusters.get(name).listPeers()).map((peer) => peer.metadata.name),
        async stop() {
            const seen = await Promise.allSettled(watches.map((watch) => watch.stop()));
            await Promise.all(projects.map((project) => project.remove()));
            await clusters.stop();
            const violations = seen.flatMap((outcome) =>
                outcome.status === "fulfilled" ? outcome.value.violations : [String(outcome.reason)],
            );
            if (violations.length > 0) throw new Error(`seen in the clusters: ${violations.join("; ")}`);
        },
    };
}

async function startAgain(server: ServerLife): Promise<void> {
    await server.start();
    server.resume();
}

async function restore(cluster: LocalCluster, count: number): Promise<void> {
    const isReady = (text: unknown): boolean => text === "ok";
    const ready = await until(() => cluster.request("GET", "/readyz").catch(String), isReady, 60);
    if (!isReady(ready)) throw new Error(`cluster ${cluster.name} does not answer: ${ready}`);
    for (const { metadata } of await cluster.listPeers()) await cluster.deletePeer(metadata.name);
    const specs = nodeSpecs(cluster, count);
    const { items } = await cluster.request<{ items: { metadata: { name: string } }[] }>("GET", "/api/v1/nodes");
    for (const { metadata } of items) {
        if (!specs.some(({ name }) => name === metadata.name)) await cluster.deleteNode(metadata.name);
    }
    await cluster.putNodes(specs);
}

type Named = Pick<LocalCluster, "name" | "kubeconfig" | "podCIDR" | "wireguardCIDR" | "serviceCIDR">;

/** What the arguments are made of, also of a cluster that is stopped. */
export const argsOf = ({ name, kubeconfig, podCIDR, wireguardCIDR, serviceCIDR }: LocalCluster): Named => ({
    name,
    kubeconfig,
    podCIDR,
    wireguardCIDR,
    serviceCIDR,
});

export const clusterArgs = (cluster: Named): Record<string, unknown> => ({
    name: cluster.name,
    kubeconfig: cluster.kubeconfig,
    podCIDRs: [cluster.podCIDR],
    wireguardCIDR: cluster.wireguardCIDR,
    serviceCIDR: cluster.serviceCIDR,
});

/** A mesh of the clusters, least-privilege accounts, each with all its ranges. */
export const meshOf = (name: string, clusters: readonly Named[], more: Record<string, unknown> = {}): MeshEntry => ({
    name,
    args: { clusters: clusters.map(clusterArgs), requestTimeout: 5, ...more },
});
