import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { version } from "../../package.json";
import type { LocalCluster } from "../../tools/clusters";
import { buildPackage } from "../../tools/process/build";
import type { Project } from "../e2e/support/project";
import { startWorld, type World } from "../e2e/support/world";
import { kubeconfigFor } from "../support/kubeconfig";
import { SCENARIOS, type Scenario } from "./scenarios";

/** Records the stacks of `scenarios.ts` as this version leaves them: see README.md beside this file. */
async function main(): Promise<void> {
    const directory = path.join(__dirname, version);
    if (!(await buildPackage())) throw new Error("the package does not compile");
    for (const scenario of SCENARIOS) {
        const place = path.join(directory, scenario.name);
        if (existsSync(place)) {
            console.log(`${version}/${scenario.name} is recorded already: what was released never changes`);
            continue;
        }
        const files = await record(scenario);
        mkdirSync(place, { recursive: true });
        for (const [name, content] of Object.entries(files)) write(path.join(place, name), content);
        console.log(`${version}/${scenario.name} is recorded`);
    }
}

/** From so many bytes on a file is compressed. */
const LARGE = 100_000;

function write(file: string, content: unknown): void {
    const text = `${JSON.stringify(content, undefined, 4)}\n`;
    if (text.length > LARGE) writeFileSync(`${file}.json.gz`, gzipSync(text, { level: 9 }));
    else writeFileSync(`${file}.json`, text);
}

async function record({ clusters: names, prepare }: Scenario): Promise<Record<string, unknown>> {
    const world = await startWorld(names, 0);
    try {
        const project = await world.project();
        let clusters: Record<string, unknown> = {};
        const mesh = await prepare(world, async (entry) => {
            await project.write(entry);
            succeeded(await project.up());
            // A cluster that does not answer any more is as it was when it last did.
            clusters = { ...clusters, ...(await contentOf(world)) };
            return entry;
        });
        const anonymous = anonymizer(world.clusters.clusters);
        return {
            stack: await exportOf(world, project, anonymous),
            clusters: anonymous(clusters),
            program: { recordedAt: new Date().toISOString(), meshes: [anonymous(mesh)] },
        };
    } finally {
        for (const cluster of world.clusters.clusters) await cluster.start();
        await world.stop();
    }
}

function succeeded({ code, text }: { code: number | null; text: string }): string {
    if (code !== 0) throw new Error(text);
    return text;
}

/** Nodes and peers of every cluster that answers, without the notes of the server about who wrote which field. */
async function contentOf({ clusters }: World): Promise<Record<string, unknown>> {
    const content: Record<string, unknown> = {};
    for (const cluster of clusters.clusters) {
        const nodes = await itemsOf(cluster, "/api/v1/nodes").catch(() => undefined);
        if (nodes === undefined) continue;
        content[cluster.name] = { nodes, peers: await itemsOf(cluster, "/apis/kilo.squat.ai/v1alpha1/peers") };
    }
    return content;
}

interface Item {
    readonly metadata: { readonly managedFields?: unknown };
}

async function itemsOf(cluster: LocalCluster, collection: string): Promise<readonly unknown[]> {
    const { items } = await cluster.request<{ items: Item[] }>("GET", collection);
    return items.map(({ metadata: { managedFields: _, ...metadata }, ...rest }) => ({ metadata, ...rest }));
}

type Anonymizer = <T>(value: T) => T;

/** Ports and credentials of this run become values that anybody may see. */
function anonymizer(clusters: readonly LocalCluster[]): Anonymizer {
    const replacements = clusters.flatMap(({ name, index, port, kubeconfig }) => {
        const server = `https://127.0.0.1:${6443 + index}`;
        const open = kubeconfigFor({ server, token: `recorded-${name}` });
        return [
            [inJson(kubeconfig), inJson(open)],
            [inJson(inJson(kubeconfig)), inJson(inJson(open))],
            [`127.0.0.1:${port}`, `127.0.0.1:${6443 + index}`],
        ] as const;
    });
    return (value) =>
        JSON.parse(replacements.reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(value)));
}

/** As it stands within a JSON string. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

interface Export {
    readonly deployment: {
        readonly manifest: Record<string, unknown>;
        readonly resources: readonly Record<string, unknown>[];
    };
}

/** The engine itself encrypts the replaced secrets: they are imported into a second stack and exported from there. */
async function exportOf(world: World, project: Project, anonymous: Anonymizer): Promise<Export> {
    const readable = JSON.parse(
        succeeded(await project.run(["stack", "export", "--show-secrets", "--stack", project.stack])),
    ) as Export;
    const second = await world.project();
    const directory = await mkdtemp(path.join(tmpdir(), "kilo-clustermesh-record-"));
    try {
        const file = path.join(directory, "stack.json");
        await writeFile(file, JSON.stringify(anonymous(readable)));
        succeeded(await second.run(["stack", "import", "--file", file, "--stack", second.stack]));
        return withoutPaths(
            JSON.parse(succeeded(await second.run(["stack", "export", "--stack", second.stack]))) as Export,
        );
    } finally {
        await rm(directory, { recursive: true });
    }
}

/** Where programs and plugins lay on the machine that recorded it. */
function withoutPaths({ deployment, ...rest }: Export): Export {
    const { plugins: _, ...manifest } = deployment.manifest;
    const resources = deployment.resources.map(
        ({ sourcePosition: _position, stackTrace: _trace, ...resource }) => resource,
    );
    return { ...rest, deployment: { ...deployment, manifest, resources } };
}

main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
});
