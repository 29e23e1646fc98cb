import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import { version } from "../../../package.json";
import { readFiles } from "../../../tools/release/read-files";
import { makeRelease } from "../../../tools/release/release";
import { meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(600_000);

const run = promisify(execFile);
let world: World;
let directory: string;
let names: readonly string[];
beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "kilo-release-"));
    names = await makeRelease(directory);
    world = await startWorld(["hub", "berlin"], 1);
});
afterAll(async () => {
    await world?.stop();
    rmSync(directory, { recursive: true, force: true });
});

const plugin = (machine: string): string => `pulumi-resource-kilo-clustermesh-v${version}-${machine}.tar.gz`;

test("a release has the plugin for every machine, schema, SDKs, npm tarball, and the checksum of each", () => {
    const machines = ["linux", "darwin", "windows"].flatMap((os) => [`${os}-amd64`, `${os}-arm64`]);
    expect([...names].sort()).toEqual(
        [
            ...machines.map(plugin),
            "SHA256SUMS",
            `pulumi-kilo-clustermesh-${version}.tgz`,
            ...["dotnet", "go", "java"].map((name) => `pulumi-kilo-clustermesh-sdk-${name}-${version}.tar.gz`),
            `pulumi_kilo_clustermesh-${version}-py3-none-any.whl`,
            `pulumi_kilo_clustermesh-${version}.tar.gz`,
            "schema.json",
        ].sort(),
    );
    expect(readdirSync(directory).sort()).toEqual([...names].sort());
    const sums = readFileSync(join(directory, "SHA256SUMS"), "utf8").trim().split("\n");
    expect(sums).toHaveLength(names.length - 1);
    for (const line of sums) {
        const [digest, name] = line.split("  ") as [string, string];
        const content = readFileSync(join(directory, name));
        expect(createHash("sha256").update(content).digest("hex")).toBe(digest);
    }
});

test("the same sources give the same bytes", async () => {
    const again = mkdtempSync(join(tmpdir(), "kilo-release-"));
    try {
        await makeRelease(again);
        expect(readFileSync(join(again, "SHA256SUMS"), "utf8")).toBe(
            readFileSync(join(directory, "SHA256SUMS"), "utf8"),
        );
    } finally {
        rmSync(again, { recursive: true, force: true });
    }
});

test("with the address of its repository the npm package says where it is, and changes in nothing else", async () => {
    const addressed = mkdtempSync(join(tmpdir(), "kilo-release-"));
    const unpack = async (from: string, to: string) => {
        mkdirSync(join(addressed, to));
        await extract({ file: join(from, `pulumi-kilo-clustermesh-${version}.tgz`), cwd: join(addressed, to) });
        const files = new Map(readFiles(join(addressed, to)));
        const manifest = JSON.parse(Buffer.from(files.get("package/package.json")!.content).toString());
        files.delete("package/package.json");
        return { files, manifest };
    };
    try {
        await makeRelease(join(addressed, "release"), { repository: "https://git.example.com/me/mesh" });
        const plain = await unpack(directory, "plain");
        const { files, manifest } = await unpack(join(addressed, "release"), "addressed");
        expect(files).toEqual(plain.files);
        expect(manifest).toEqual({
            ...plain.manifest,
            repository: { type: "git", url: "git+https://git.example.com/me/mesh.git" },
            bugs: { url: "https://git.example.com/me/mesh/issues" },
            homepage: "https://git.example.com/me/mesh#readme",
        });
    } finally {
        rmSync(addressed, { recursive: true, force: true });
    }
});

test("with the address of a download every SDK tells the engine where the plugin is, and without one none does", async () => {
    const pluginDownloadURL = "https://downloads.example.com/mesh";
    const addressed = mkdtempSync(join(tmpdir(), "kilo-release-"));
    const archives = [
        "pulumi_kilo_clustermesh",
        ...["dotnet", "go", "java"].map((name) => `pulumi-kilo-clustermesh-sdk-${name}`),
    ];
    const telling = async (from: string): Promise<string[]> => {
        const found = [];
        for (const archive of archives) {
            const to = mkdtempSync(join(addressed, "unpacked-"));
            await extract({ file: join(from, `${archive}-${version}.tar.gz`), cwd: to });
            const texts = [...readFiles(to).values()].map(({ content }) => Buffer.from(content).toString());
            if (texts.some((text) => text.includes(pluginDownloadURL))) found.push(archive);
        }
        return found;
    };
    try {
        await makeRelease(join(addressed, "release"), { pluginDownloadURL });
        expect(await telling(join(addressed, "release"))).toEqual(archives);
        expect(await telling(directory)).toEqual([]);
    } finally {
        rmSync(addressed, { recursive: true, force: true });
    }
});

/** A project whose plugin is installed by nobody yet. */
async function withoutPlugin() {
    await world.reset();
    const project = await world.project({ host: "plugin" });
    await project.removePlugin();
    await project.write(meshOf("edge", world.clusters.clusters));
    const home = join(project.dir, ".pulumi-home");
    const expectMesh = async () => {
        const { stdout } = await run(world.tools.pulumi, ["plugin", "ls", "--json"], {
            env: { PATH: process.env.PATH, PULUMI_HOME: home, HOME: project.dir },
        });
        expect(JSON.parse(stdout)).toMatchObject([{ name: "kilo-clustermesh", kind: "resource", version }]);
        const { code, text } = await project.up();
        expect({ code, text }).toMatchObject({ code: 0 });
        expect(await world.peers("hub")).toEqual(["edge--berlin--berlin-n1"]);
        expect((await project.destroy()).code).toBe(0);
    };
    return { project, home, expectMesh };
}

test("a mesh comes up with the plugin that the CLI installs from the archive", async () => {
    const { project, expectMesh } = await withoutPlugin();
    const archive = join(directory, plugin("linux-amd64"));
    const args = ["plugin", "install", "resource", "kilo-clustermesh", `v${version}`, "--file", archive];
    const { code, text } = await project.run(args);
    expect({ code, text }).toMatchObject({ code: 0 });
    await expectMesh();
});

test("a mesh comes up with the plugin that `kilo-clustermesh plugin install` takes out of the npm package, offline", async () => {
    const { project, home, expectMesh } = await withoutPlugin();
    const unpacked = join(project.dir, "unpacked");
    mkdirSync(unpacked);
    await extract({ file: join(directory, `pulumi-kilo-clustermesh-${version}.tgz`), cwd: unpacked });
    const command = join(unpacked, "package/dist/cli/main.js");
    const env = { PATH: process.env.PATH, PULUMI_HOME: home, NODE_PATH: join(__dirname, "../../../node_modules") };
    for (const _ of ["first", "again"]) {
        const { stdout } = await run(process.execPath, [command, "plugin", "install"], { env });
        expect(stdout).toBe(
            `installed resource plugin kilo-clustermesh ${version} in ${home}/plugins/resource-kilo-clustermesh-v${version}\n`,
        );
    }
    await expectMesh();
});
