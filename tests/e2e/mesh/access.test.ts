import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import type { Outcome, Project } from "../support/project";
import { argsOf, clusterArgs, meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(300_000);

let world: World;
let project: Project;
let dir: string;
const printed: string[] = [];

beforeAll(async () => {
    world = await startWorld(["hub", "berlin"], 1);
    dir = await mkdtemp(path.join(os.tmpdir(), "clustermesh-access-"));
});

beforeEach(async () => {
    await world.reset();
    project = await world.project();
});

afterAll(async () => {
    await world?.stop();
    await rm(dir, { recursive: true, force: true });
});

async function run(command: () => Promise<Outcome>): Promise<string> {
    const { code, text } = await command();
    printed.push(text);
    if (code !== 0) throw new Error(text);
    return text;
}

/** Meshes with the hub reached in another way, sees that it works, and takes it all down again. */
async function worksWith(hub: Record<string, unknown>, env: Record<string, string> = {}): Promise<void> {
    const { kubeconfig: _, ...rest } = clusterArgs(world.get("hub"));
    await project.write({
        name: "edge",
        args: { clusters: [{ ...rest, ...hub }, clusterArgs(world.get("berlin"))], requestTimeout: 5 },
    });
    await run(() => project.run(["up", "--yes", "--skip-preview", "--stack", "test"], env));
    expect(await world.peers("hub")).toEqual(["edge--berlin--berlin-n1"]);
    expect(await world.peers("berlin")).toEqual(["edge--hub--hub-n1"]);
    await run(() => project.run(["destroy", "--yes", "--skip-preview", "--stack", "test"], env));
    expect(await world.peers("hub")).toEqual([]);
}

test("a kubeconfig by path works, and only the path is recorded", async () => {
    const file = path.join(dir, "hub.yaml");
    await writeFile(file, world.get("hub").kubeconfig);
    await worksWith({ kubeconfig: file });
});

test("a kubeconfig by context works", async () => {
    const hub = parse(world.get("hub").kubeconfig) as Record<string, unknown> & { contexts: { name: string }[] };
    const context = hub.contexts[0]!.name;
    await worksWith({ kubeconfig: JSON.stringify({ ...hub, "current-context": "nowhere" }), context });
});

test("local: true uses the default kubeconfig outside a cluster", async () => {
    const file = path.join(dir, "default.yaml");
    await writeFile(file, world.get("hub").kubeconfig);
    await worksWith({ local: true }, { KUBECONFIG: file });
});

test("a kubeconfig in a Secret of another member works, and is recorded for the destroy", async () => {
    const berlin = world.get("berlin");
    await berlin.request("POST", "/api/v1/namespaces", { metadata: { name: "capi" } }).catch(() => undefined);
    await berlin.request("POST", "/api/v1/namespaces/capi/secrets", {
        metadata: { name: "hub-kubeconfig" },
        data: { value: Buffer.from(world.get("hub").kubeconfig).toString("base64") },
    });
    const { kubeconfig: _, ...hub } = clusterArgs(world.get("hub"));
    const secret = { cluster: "berlin", namespace: "capi", name: "hub-kubeconfig", key: "value" };
    await project.write({
        name: "edge",
        args: {
            clusters: [
                { ...hub, kubeconfigSecret: secret },
                { ...clusterArgs(berlin), kubeconfig: berlin.adminKubeconfig },
            ],
        },
    });
    await run(() => project.up());
    expect(await world.peers("hub")).toEqual(["edge--berlin--berlin-n1"]);
    await berlin.request("DELETE", "/api/v1/namespaces/capi/secrets/hub-kubeconfig");
    await run(() => project.destroy());
    expect(await world.peers("hub")).toEqual([]);
});

test("credentials rotated by up are the ones that destroy uses", async () => {
    const hub = world.get("hub");
    await project.write(meshOf("edge", world.clusters.clusters));
    await run(() => project.up());
    await project.write(meshOf("edge", [{ ...hub, kubeconfig: hub.adminKubeconfig }, world.get("berlin")]));
    const versions = async () => (await hub.listPeers()).map(({ metadata }) => metadata.resourceVersion);
    const before = await versions();
    expect(await run(() => project.up())).toMatch(/2 updated/);
    expect(await versions()).toEqual(before);
    await run(() => project.destroy());
});

/** What must never be readable: tokens and keys, as they are and in base64. */
function secretsOf(text: string): string[] {
    const found = [...text.matchAll(/(?:token|client-key-data): "?([^\s"]+)/g)].map(([, secret]) => secret!);
    expect(found.length).toBeGreaterThan(0);
    return found.flatMap((secret) => [secret, Buffer.from(secret).toString("base64").slice(0, 40)]);
}

function expectNoSecrets(everything: string): void {
    for (const cluster of world.clusters.clusters) {
        for (const secret of [...secretsOf(cluster.kubeconfig), ...secretsOf(cluster.adminKubeconfig)]) {
            expect(everything.includes(secret)).toBe(false);
        }
    }
}

test("no kubeconfig material is in the state, in what is printed, in errors or in diffs", async () => {
    const hub = world.get("hub");
    await project.write(meshOf("edge", world.clusters.clusters));
    await run(() => project.up());
    await run(() => project.preview("--show-config"));
    await run(() => project.refresh());
    printed.push(await project.stateFile());
    await project.write(meshOf("edge", [{ ...hub, kubeconfig: `${hub.kubeconfig}\n: broken` }, world.get("berlin")]));
    printed.push((await project.up()).text);
    await project.write(meshOf("edge", world.clusters.clusters));
    await run(() => project.destroy());
    expectNoSecrets(printed.join("\n"));
});

// Given as content they are in the engine's own trace of its calls at -v=9, as every secret of every resource is.
test("kubeconfigs by path are in no log either, not even the engine's trace at -v=9", async () => {
    const byPath = await Promise.all(
        world.clusters.clusters.map(async (cluster) => {
            const file = path.join(dir, `${cluster.name}-traced.yaml`);
            await writeFile(file, cluster.kubeconfig);
            return { ...argsOf(cluster), kubeconfig: file };
        }),
    );
    await project.write(meshOf("edge", byPath));
    const traced = await run(() => project.up("--logtostderr", "--logflow", "-v=9"));
    expect(traced).toContain("RegisterResource");
    await run(() => project.destroy("--logtostderr", "--logflow", "-v=9"));
    expectNoSecrets(printed.join("\n"));
});

test("a cluster whose kubeconfig is not known yet gives unknown peers in the preview, and a normal up", async () => {
    await writeFile(
        path.join(project.dir, "index.js"),
        `const fs = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const { ClusterMesh } = require("pulumi-kilo-clustermesh");
const { meshes: [{ name, args }] } = JSON.parse(fs.readFileSync("mesh.json", "utf8"));
// Unknown until the update runs, as the kubeconfig of a cluster that is made in the same program.
const provider = { create: async ({ text }) => ({ id: "made", outs: { text, kubeconfig: text } }) };
class Cluster extends pulumi.dynamic.Resource {
    constructor(name, text) {
        super(provider, name, { text: pulumi.secret(text), kubeconfig: undefined }, { additionalSecretOutputs: ["kubeconfig"] });
    }
}
args.clusters[0].kubeconfig = new Cluster("made", args.clusters[0].kubeconfig).kubeconfig;
exports.peers = new ClusterMesh(name, args).peers;
`,
    );
    await project.write(meshOf("edge", world.clusters.clusters));
    const { code, text } = await project.preview();
    expect(text).toMatch(/edge-hub-peers/);
    expect(code).toBe(0);
    await run(() => project.up());
    expect(await world.peers("hub")).toEqual(["edge--berlin--berlin-n1"]);
    await run(() => project.destroy());
});
