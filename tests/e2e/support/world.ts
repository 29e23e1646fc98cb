import { type LocalCluster, type LocalClusters, nodeSpecs, startClusters } from "../../../tools/clusters";
import { type Toolchain, toolchain } from "../../../tools/toolchain";
import type { WatchedPeer } from "../../support/peer-invariants";
import { type PeerWatch, watchPeers } from "../../support/watch-peers";
import { type MeshEntry, Project } from "./project";

/** Real clusters with Kilo nodes, watched for the whole life of a test file, and the projects that mesh them. */
export interface World {
    readonly tools: Toolchain;
    readonly clusters: LocalClusters;
    get(name: string): LocalCluster;
    project(options?: { stack?: string; name?: string }): Promise<Project>;
    /** Names of the peers in a cluster, sorted. */
    peers(cluster: string): Promise<string[]>;
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
