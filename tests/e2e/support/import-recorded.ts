import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { LocalCluster } from "../../../tools/clusters";
import { asOfNow, type RecordedStack, readRecorded, reconnected } from "../../support/recorded";
import type { MeshEntry, Project } from "./project";
import { startWorld, type World } from "./world";

export interface Imported {
    readonly world: World;
    readonly project: Project;
    /** The program as it was recorded, with the kubeconfigs of these clusters. */
    readonly mesh: MeshEntry;
}

/** A recorded stack in a project of its own, over real clusters that hold what its clusters held. */
export async function importRecorded(stack: string): Promise<Imported> {
    const recorded = readRecorded(stack);
    const { name, args } = recorded.mesh;
    const world = await startWorld(
        args.clusters.map((cluster) => cluster.name),
        0,
    );
    try {
        const uids = new Map<string, string>();
        for (const cluster of world.clusters.clusters) await fill(cluster, recorded, uids);
        const mesh = {
            name,
            args: {
                ...args,
                clusters: args.clusters.map((spec) => ({ ...spec, kubeconfig: world.get(spec.name).kubeconfig })),
            },
        };
        const project = await world.project();
        await project.write(mesh);
        const file = path.join(project.dir, "recorded.json");
        await writeFile(file, importable(recorded, world, uids));
        const { code, text } = await project.run(["stack", "import", "--file", file, "--stack", project.stack]);
        if (code !== 0) throw new Error(text);
        return { world, project, mesh };
    } catch (error) {
        await world.stop();
        throw error;
    }
}

/** Real servers choose uids themselves: `uids` gets the new one for each recorded one. */
async function fill(cluster: LocalCluster, recorded: RecordedStack, uids: Map<string, string>): Promise<void> {
    const { nodes, peers } = recorded.clusters[cluster.name]!;
    for (const node of nodes) {
        const { metadata, spec, status } = asOfNow(node, recorded.recordedAt);
        const { name, labels, annotations } = metadata;
        await cluster.request("POST", "/api/v1/nodes", { metadata: { name, labels, annotations }, spec, status });
    }
    for (const { metadata, spec } of peers) {
        const { name, uid, labels = {}, annotations = {} } = metadata;
        const created = await cluster.createPeer({ name, labels, annotations, spec });
        uids.set(uid, created.metadata.uid);
    }
}

/** How the engine marks a secret in an export, readable here. */
const secret = (value: string): unknown => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    plaintext: JSON.stringify(value),
});

function importable({ exported }: RecordedStack, world: World, uids: ReadonlyMap<string, string>): string {
    const resources = exported.deployment.resources.map((resource) => {
        const { inputs, outputs } = resource;
        if (inputs?.cluster === undefined) return resource;
        const kubeconfig = secret(world.get(String(inputs.cluster)).kubeconfig);
        return {
            ...resource,
            inputs: reconnected(inputs, kubeconfig),
            outputs: reconnected(outputs ?? {}, kubeconfig),
        };
    });
    const text = JSON.stringify({ ...exported, deployment: { ...exported.deployment, resources } });
    return [...uids].reduce((result, [from, to]) => result.replaceAll(from, to), text);
}
