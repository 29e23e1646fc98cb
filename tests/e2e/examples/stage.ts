import { type LocalCluster, type LocalClusters, startClusters } from "../../../tools/clusters";
import { type ExampleProject, openExample } from "../../../tools/examples/example-project";
import { type Toolchain, toolchain } from "../../../tools/toolchain";

/** Three local clusters on which one example after the other is run. */
export interface Stage {
    /** Sets the scene of an example; what an earlier one left is cleared away first. */
    open(example: string): Promise<Play>;
    close(): Promise<void>;
}

/** An example under test. */
export interface Play extends ExampleProject {
    up(): Promise<string>;
    preview(): Promise<string>;
    destroy(): Promise<string>;
    /** The peers of a cluster, by name. */
    peers(cluster: string): Promise<Record<string, Awaited<ReturnType<LocalCluster["listPeers"]>>[number]>>;
}

export async function openStage(): Promise<Stage> {
    const tools: Toolchain = await toolchain();
    const set: LocalClusters = await startClusters({ names: ["first", "second", "third"], tools });
    const opened: ExampleProject[] = [];
    return {
        async open(example) {
            for (const cluster of set.clusters) await clear(cluster);
            const project = await openExample(example, tools, set.clusters);
            opened.push(project);
            const run = async (...args: string[]): Promise<string> => {
                const { code, text } = await project.pulumi(args);
                if (code !== 0) throw new Error(text);
                return text;
            };
            return {
                ...project,
                up: () => run("up", "--yes", "--skip-preview"),
                preview: () => run("preview", "--diff"),
                destroy: () => run("destroy", "--yes", "--skip-preview"),
                peers: async (cluster) => {
                    const peers = await project.clusters[cluster]!.listPeers();
                    return Object.fromEntries(peers.map((peer) => [peer.metadata.name, peer]));
                },
            };
        },
        async close() {
            for (const project of opened) project.remove();
            await set.stop();
        },
    };
}

async function clear(cluster: LocalCluster): Promise<void> {
    await cluster.request("DELETE", "/api/v1/nodes");
    await cluster.request("DELETE", "/apis/kilo.squat.ai/v1alpha1/peers");
}
