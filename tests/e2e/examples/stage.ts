import { type LocalCluster, type LocalClusters, startClusters } from "../../../tools/clusters";
import { type ExampleProject, openExample } from "../../../tools/examples/example-project";
import { type Toolchain, toolchainOfAllLanguages } from "../../../tools/toolchain";
import { type Expectation, JudgedRuns } from "../support/judged-runs";
import type { MeshEntry } from "../support/project";

/** Three local clusters on which one example after the other is run. */
export interface Stage {
    /** Sets the scene of an example; what an earlier one left is cleared away first. */
    open(example: string, joins?: Joins): Promise<Play>;
    close(): Promise<void>;
}

/** What the program of an example says; the model of Kilo judges every run by it. */
export interface Joins {
    /** Default: all its clusters. */
    readonly clusters?: readonly string[];
    readonly hubs?: readonly string[];
    readonly natted?: readonly string[];
}

/** An example under test. */
export interface Play extends ExampleProject {
    /** The program is another one from here on. */
    joins(joins: Joins): void;
    expecting(expectation: Expectation): void;
    up(): Promise<string>;
    preview(): Promise<string>;
    destroy(): Promise<string>;
    /** The peers of a cluster, by name. */
    peers(cluster: string): Promise<Record<string, Awaited<ReturnType<LocalCluster["listPeers"]>>[number]>>;
}

export async function openStage(): Promise<Stage> {
    const tools: Toolchain = await toolchainOfAllLanguages();
    const set: LocalClusters = await startClusters({ names: ["first", "second", "third"], tools });
    const opened: ExampleProject[] = [];
    let runs: JudgedRuns | undefined;
    const endRuns = async (): Promise<void> => {
        const violations = (await runs?.stop()) ?? [];
        if (violations.length > 0) throw new Error(`seen in the clusters: ${violations.join("; ")}`);
    };
    return {
        async open(example, joins = {}) {
            await endRuns();
            for (const cluster of set.clusters) await clear(cluster);
            const project = await openExample(example, tools, set.clusters);
            opened.push(project);
            const judged = new JudgedRuns(() => Object.entries(project.clusters));
            runs = judged;
            const program = { meshes: [entryOf(example, project, joins)] };
            const run = async (...args: string[]): Promise<string> => {
                const act = () => project.pulumi(args);
                const [kind] = args;
                const isRun = kind === "up" || kind === "destroy";
                const { code, text } = await (isRun ? judged.during(program, kind, act) : act());
                if (code !== 0) throw new Error(text);
                return text;
            };
            return {
                ...project,
                joins: (changed) => {
                    program.meshes = [entryOf(example, project, changed)];
                },
                expecting: (expectation) => judged.expecting(expectation),
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
            await endRuns();
            for (const project of opened) project.remove();
            await set.stop();
        },
    };
}

function entryOf(
    name: string,
    { clusters }: ExampleProject,
    { clusters: members = Object.keys(clusters), hubs, natted = [] }: Joins,
): MeshEntry {
    const args = members.map((member) => ({ name: member, nat: natted.includes(member) }));
    return { name, args: { clusters: args, ...(hubs === undefined ? {} : { topology: { hubs } }) } };
}

async function clear(cluster: LocalCluster): Promise<void> {
    await cluster.request("DELETE", "/api/v1/nodes");
    await cluster.request("DELETE", "/apis/kilo.squat.ai/v1alpha1/peers");
}
