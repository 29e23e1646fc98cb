import { execFile } from "node:child_process";
import {
    cpSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { buildPackage, isBuilt } from "../../../tools/process/build";
import { localRegistry } from "./registry";

const ROOT = join(__dirname, "../../..");
const run = promisify(execFile);

let work: string;
let consumer: string;
/** A project with Pulumi's SDK and nothing else. */
let bare: string;
let packed: readonly string[];

/** Packs what a build of these sources gave and installs the tarball with npm into an empty project, all of it on this machine. */
beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "kilo-package-"));
    const stage = join(work, "stage");
    const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { files: string[] };
    for (const name of ["package.json", "README.md", "LICENSE", ...files.filter((file) => !/^!?dist/.test(file))]) {
        mkdirSync(dirname(join(stage, name)), { recursive: true });
        cpSync(join(ROOT, name), join(stage, name), { recursive: true });
    }
    // Things that lie about in a working tree and must not be published.
    for (const name of [".env", "notes.txt", "tests/a.test.ts", "Pulumi.dev.yaml"]) {
        mkdirSync(dirname(join(stage, name)), { recursive: true });
        writeFileSync(join(stage, name), "private");
    }
    if (!isBuilt()) expect(await buildPackage()).toBe(true);
    cpSync(join(ROOT, "dist"), join(stage, "dist"), { recursive: true });

    const registry = await localRegistry(ROOT);
    try {
        const settings = [
            "--registry",
            registry.url,
            "--cache",
            join(work, "cache"),
            "--userconfig",
            join(work, "none"),
        ];
        const { stdout } = await npm(stage, [
            "pack",
            "--ignore-scripts",
            "--json",
            "--pack-destination",
            work,
            ...settings,
        ]);
        const [{ filename, files: listed }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
        packed = listed.map(({ path }) => path).sort();
        const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"];
        const project = async (name: string, installs: string): Promise<string> => {
            const directory = join(work, name);
            mkdirSync(directory);
            writeFileSync(join(directory, "package.json"), JSON.stringify({ name, private: true }));
            await npm(directory, ["install", installs, ...quiet, ...settings]);
            return directory;
        };
        consumer = await project("consumer", join(work, filename));
        bare = await project("bare", "@pulumi/pulumi");
    } finally {
        await registry.close();
    }
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const npm = (cwd: string, args: string[]) => run("npm", args, { cwd, maxBuffer: 1 << 26 });
const tsc = (args: string[], cwd = ROOT) =>
    run(process.execPath, [require.resolve("typescript/bin/tsc"), ...args], { cwd });
/** Packages by their folders, and the bytes of all their files. */
function weightOf(project: string): { readonly packages: readonly string[]; readonly bytes: number } {
    const modules = join(project, "node_modules");
    const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const lock = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as { packages: object };
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    return { packages: Object.keys(lock.packages), bytes };
}

const node = async (code: string) => (await run(process.execPath, ["-e", code], { cwd: consumer })).stdout.trim();

test("the tarball holds what users need and nothing else", () => {
    const rest = packed.filter((path) => !/^dist\/(cli|sdk|provider)\/.+\.(js|d\.ts)$/.test(path));
    expect(rest).toEqual([
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "dist/cli/metrics/THIRD-PARTY-LICENSES.txt",
        "dist/plugin/THIRD-PARTY-LICENSES.txt",
        "dist/plugin/plugin.js",
        "dist/plugin/pulumi-resource-kilo-clustermesh",
        "dist/plugin/pulumi-resource-kilo-clustermesh.cmd",
        "dist/plugin/schema.json",
        "docs/rbac.yaml",
        "package.json",
    ]);
    expect(packed.filter((path) => path.endsWith(".js"))).not.toHaveLength(0);
});

test("both entries load in a program that is CommonJS", async () => {
    expect(await node(`console.log(typeof require("pulumi-kilo-clustermesh").ClusterMesh)`)).toBe("function");
    expect(await node(`console.log(typeof require("pulumi-kilo-clustermesh").planMesh)`)).toBe("function");
    expect(await node(`console.log(typeof require("pulumi-kilo-clustermesh/provider"))`)).toMatch(/object|function/);
});

test("both entries load in a program that is an ES module", async () => {
    const load = (name: string) => node(`import("${name}").then((it) => console.log(Object.keys(it).length > 0))`);
    expect(await load("pulumi-kilo-clustermesh")).toBe("true");
    expect(await load("pulumi-kilo-clustermesh/provider")).toBe("true");
});

test("mocks for users' own tests load", async () => {
    expect(await node(`console.log(typeof require("pulumi-kilo-clustermesh/testing").meshMocks)`)).toBe("function");
});

test("metrics are printed without a package of their own", async () => {
    const prometheus = join(consumer, "node_modules/pulumi-kilo-clustermesh/dist/cli/metrics/prometheus.js");
    expect(existsSync(join(consumer, "node_modules/prom-client"))).toBe(false);
    expect(await node(`console.log(typeof require(${JSON.stringify(prometheus)}).promClient().Registry)`)).toBe(
        "function",
    );
});

test("nothing else of the package can be imported by accident", async () => {
    const attempt = node(`require("pulumi-kilo-clustermesh/dist/sdk/nodejs/index.js")`);
    await expect(attempt).rejects.toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED");
});

test("npm gives the program one copy of Pulumi's SDK", () => {
    const own = join(consumer, "node_modules/pulumi-kilo-clustermesh/node_modules");
    expect(existsSync(own) ? readdirSync(own) : []).not.toContain("@pulumi");
    expect(existsSync(join(consumer, "node_modules/@pulumi/pulumi"))).toBe(true);
});

test("it brings at most 12 MB and 12 packages beside Pulumi's SDK", () => {
    const [ours, theirs] = [weightOf(consumer), weightOf(bare)];
    const brought = ours.packages.filter((path) => !theirs.packages.includes(path));
    const megabytes = (ours.bytes - theirs.bytes) / 1e6;
    console.log(
        `beside @pulumi/pulumi: ${brought.length} packages, ${megabytes.toFixed(1)} MB (${brought.join(", ")})`,
    );
    expect(brought.length).toBeLessThanOrEqual(12);
    expect(megabytes).toBeLessThanOrEqual(12);
});

test("the Kubernetes client is not installed unasked, and who needs it is told so", async () => {
    expect(existsSync(join(consumer, "node_modules/@kubernetes"))).toBe(false);
    const kubeconfig = JSON.stringify({
        "current-context": "main",
        contexts: [{ name: "main", context: { cluster: "there", user: "me" } }],
        clusters: [{ name: "there", cluster: { server: "https://192.0.2.1:6443" } }],
        users: [{ name: "me", user: { "auth-provider": { name: "oidc", config: {} } } }],
    });
    const client = join(consumer, "node_modules/pulumi-kilo-clustermesh/dist/provider/kube/client.js");
    const told = await node(
        `require(${JSON.stringify(client)}).openCluster({ cluster: "edge", kubeconfig: ${JSON.stringify(kubeconfig)} })
            .catch(({ kind, message, fix }) => console.log(kind, message, fix))`,
    );
    expect(told).toMatch(
        /^config .*needs the package @kubernetes\/client-node.*`npm install @kubernetes\/client-node@1`/,
    );
});

test("a strict TypeScript program compiles against the published types", async () => {
    writeFileSync(
        join(consumer, "program.ts"),
        `import { ClusterMesh, planMesh } from "pulumi-kilo-clustermesh";
        export const mesh = new ClusterMesh("edge", {
            clusters: [
                { name: "a", kubeconfig: "a.yaml", podCIDRs: ["10.1.0.0/16"] },
                { name: "b", kubeconfig: "b.yaml", podCIDRs: ["10.2.0.0/16"] },
            ],
        });
        export const graph = mesh.graph.apply((text: string) => text.length);
        export const plan = planMesh({ mesh: "edge", clusters: [], nodes: {} });`,
    );
    const settings = { strict: true, noEmit: true, module: "node16", target: "es2022", skipLibCheck: true, types: [] };
    const compile = (file: string) => {
        writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions: settings, files: [file] }));
        return tsc(["-p", "."], consumer).then(
            () => "",
            ({ stdout }: { stdout: string }) => stdout,
        );
    };
    expect(await compile("program.ts")).toBe("");
    const wrong = `import { ClusterMesh } from "pulumi-kilo-clustermesh"; new ClusterMesh("edge", { clusters: 1 });`;
    writeFileSync(join(consumer, "wrong.ts"), wrong);
    expect(await compile("wrong.ts")).toContain("Type 'number' is not assignable");
});
