import { type LocalCluster, type LocalClusters, nodeSpecs, startClusters } from "../../../tools/clusters";
import type { ServerLife } from "../../../tools/clusters/server-life";
import { type Toolchain, toolchain } from "../../../tools/toolchain";
import { type Expectation, JudgedRuns } from "./judged-runs";
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
    /** What the runs from here on come to, besides what their programs say; else the model of Kilo fails them. */
    expecting(expectation: Expectation): void;
    /** As it was at the start: every server runs, the clusters have their nodes again and no peers. */
    reset(): Promise<void>;
    /** Ends everything; throws when two peers ever shared a key or a network. */
    stop(): Promise<void>;
}

export async function startWorld(
    names: readonly string[],
    nodes = 3,
    getTools: () => Promise<Toolchain> = toolchain,
): Promise<World> {
    const tools = await getTools();
    const clusters = await startClusters({ names, tools });
    const projects: Project[] = [];
    const runs = new JudgedRuns(() => clusters.clusters.map((cluster) => [cluster.name, cluster]));
    for (const cluster of clusters.clusters) await cluster.putNodes(nodeSpecs(cluster, nodes));
    await runs.watch();
    return {
        tools,
        clusters,
        get: (name) => clusters.get(name),
        async project(options) {
            const project = await Project.create(tools, { during: runs.during, ...options });
            projects.push(project);
            return project;
        },
        expecting: (expectation) => runs.expecting(expectation),
        async reset() {
            runs.reset();
            await startAgain(clusters.database);
            for (const cluster of clusters.clusters) {
                await startAgain(cluster);
                await restore(cluster, nodes);
            }
        },
        peers: async (name) => (await clusters.get(name).listPeers()).map((peer) => peer.metadata.name),
        async stop() {
            const violations = await runs.stop();
            await Promise.all(projects.map((project) => project.remove()));
            await clusters.stop();
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
