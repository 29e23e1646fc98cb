import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { request } from "undici";
import { nodeSpecs, publicKey } from "../../../tools/clusters";
import { freePort } from "../../../tools/clusters/ports";
import { pulumiEnvironment } from "../../../tools/pulumi/environment";
import { processTree } from "../../support/processes";
import { Command } from "../cli/command";
import type { Project } from "../support/project";
import { until } from "../support/until";
import { meshOf, startWorld, type World } from "../support/world";
import { startWatch, type WatchProcess } from "./watcher";

jest.setTimeout(600_000);

let world: World;
let project: Project;
let env: Record<string, string>;
let watch: WatchProcess | undefined;

const NAMES = ["hub", "berlin", "tokyo"];
const UP = ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"];

beforeAll(async () => {
    world = await startWorld(NAMES, 2);
    project = await world.project();
    env = pulumiEnvironment(world.tools, project.dir);
    await project.write(meshOf("edge", world.clusters.clusters));
    const { code, text } = await project.up();
    if (code !== 0) throw new Error(text);
});

afterEach(async () => {
    if (watch?.child.exitCode === null) await watch.stop();
});

afterAll(async () => {
    await world?.stop();
});

const start = (...argv: string[]): WatchProcess => {
    watch = startWatch(argv, project.dir, env);
    return watch;
};

const peersOf = (cluster: string, wanted: (names: readonly string[]) => boolean): Promise<string[]> =>
    until(() => world.peers(cluster), wanted, 90);

test("a node that joins, changes its key and leaves is followed in the other clusters, and nothing else is run", async () => {
    const hub = world.get("hub");
    const following = start("--stack", "test", "--", ...UP);
    await following.says(/tokyo is seen/);
    const node = nodeSpecs(hub, 3)[2]!;
    await hub.putNode(node);
    for (const other of ["berlin", "tokyo"]) {
        expect(await peersOf(other, (names) => names.includes("edge--hub--hub-n3"))).toContain("edge--hub--hub-n3");
    }
    await following.says(/the run succeeded/);
    await hub.patchNodeAnnotations("hub-n3", { "kilo.squat.ai/key": publicKey("hub", "another") });
    const keys = async () =>
        (await world.get("berlin").listPeers()).map(({ spec }) => spec.publicKey).includes(publicKey("hub", "another"));
    expect(await until(keys, (has) => has, 90)).toBe(true);
    await hub.deleteNode("hub-n3");
    for (const other of ["berlin", "tokyo"]) {
        expect(await peersOf(other, (names) => !names.includes("edge--hub--hub-n3"))).not.toContain(
            "edge--hub--hub-n3",
        );
    }
    await following.says(/(the run succeeded[\s\S]*){3}/);
    expect(await following.stop()).toBe(0);
    expect(following.printed().match(/ run: /g)).toHaveLength(3);
});

test("with --once it brings the mesh up to date and exits with 0; with a member that is silent, with 2", async () => {
    await world.get("berlin").deletePeer("edge--hub--hub-n1");
    expect(await start("--stack", "test", "--once", "--", ...UP).done).toBe(0);
    expect(await world.peers("berlin")).toContain("edge--hub--hub-n1");
    await world.get("tokyo").stop();
    try {
        expect(await start("--stack", "test", "--once", "--", ...UP).done).toBe(2);
    } finally {
        await world.get("tokyo").start();
    }
});

test("no kubeconfig is in a log, a metric, a process or a temporary file, during a run and after the end", async () => {
    const tokens = world.clusters.clusters.map(({ kubeconfig }) => /token: (\S+)/.exec(kubeconfig)?.[1] ?? "");
    expect(tokens.every((token) => token.length > 20)).toBe(true);
    const leaks = (text: string): boolean => tokens.some((token) => text.includes(token));
    const temporary = await mkdtemp(path.join(os.tmpdir(), "clustermesh-temporary-"));
    const port = await freePort();
    const release = path.join(temporary, "release");
    // a run that prints what must not be logged, lasts until it is told, does its work and fails
    const script = `cat mesh.json; touch ${release}.begun; while ! test -e ${release}; do sleep 0.2; done; ${UP.join(" ")}; grep -o 'token: [[:alnum:]._-]*' mesh.json; exit 3`;
    await world.get("berlin").deletePeer("edge--hub--hub-n1");
    const argv = ["--stack", "test", "--listen", `127.0.0.1:${port}`, "--", "sh", "-c", script];
    watch = startWatch(argv, project.dir, { ...env, TMPDIR: temporary });
    const found: string[] = [];
    const look = async (): Promise<void> => {
        for (const { pid } of processTree(watch!.pid)) {
            for (const part of ["cmdline", "environ"]) {
                const text = await readFile(`/proc/${pid}/${part}`, "latin1").catch(() => "");
                if (leaks(text)) found.push(`${part} of ${text.slice(0, 60)}`);
            }
        }
    };
    try {
        const hasBegun = () =>
            access(`${release}.begun`).then(
                () => true,
                () => false,
            );
        // the export of the state and the run itself, with all that they start
        while (watch.child.exitCode === null && !(await hasBegun())) await look();
        await writeFile(release, "");
        while (!/the run failed/.test(watch.printed()) && watch.child.exitCode === null) {
            await look();
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
        for (const page of ["/metrics", "/readyz", "/healthz"]) {
            const { statusCode, body } = await request(`http://127.0.0.1:${port}${page}`);
            expect(statusCode).toBe(200);
            expect(leaks(await body.text())).toBe(false);
        }
        expect(await watch.stop()).toBe(0);
        expect(watch.printed()).toContain("[secret]");
        expect(leaks(watch.printed())).toBe(false);
        for (const entry of await readdir(temporary, { withFileTypes: true, recursive: true })) {
            if (!entry.isFile()) continue;
            const text = await readFile(path.join(entry.parentPath ?? entry.path, entry.name), "latin1");
            if (leaks(text)) found.push(entry.name);
        }
        expect(found).toEqual([]);
    } finally {
        await rm(temporary, { recursive: true, force: true });
    }
    expect(await world.peers("berlin")).toContain("edge--hub--hub-n1");
});

test("two watchers of one stack do no harm: the one that finds it locked tries again", async () => {
    const first = start("--stack", "test", "--", ...UP);
    const second = startWatch(["--stack", "test", "--", ...UP], project.dir, env);
    try {
        await first.says(/tokyo is seen/);
        await second.says(/tokyo is seen/);
        await world.get("hub").putNode(nodeSpecs(world.get("hub"), 3)[2]!);
        expect(await peersOf("tokyo", (names) => names.includes("edge--hub--hub-n3"))).toContain("edge--hub--hub-n3");
        expect(await peersOf("berlin", (names) => names.includes("edge--hub--hub-n3"))).toContain("edge--hub--hub-n3");
    } finally {
        await second.stop();
    }
});

test("sweep --stack deletes what has the claim of a member and is in no ledger, and nothing else", async () => {
    const hub = world.get("hub");
    const before = await world.peers("hub");
    const [ours] = await hub.listPeers();
    await hub.request("POST", "/apis/kilo.squat.ai/v1alpha1/peers", {
        apiVersion: "kilo.squat.ai/v1alpha1",
        kind: "Peer",
        metadata: { name: "left-over", labels: ours!.metadata.labels },
        spec: { publicKey: publicKey("nobody", "left-over"), allowedIPs: ["10.99.1.0/24"] },
    });
    const command = new Command(project.dir, env);
    const listed = await command.run(["sweep", "--stack", "test"]);
    expect(listed).toMatchObject({ code: 2, err: "" });
    expect(listed.out).toContain("left-over in hub  it has the claim, and the state does not list it");
    expect(await world.peers("hub")).toEqual([...before, "left-over"].sort());
    expect(await command.run(["sweep", "--stack", "test", "--yes"])).toMatchObject({ code: 0 });
    expect(await world.peers("hub")).toEqual(before);
});
