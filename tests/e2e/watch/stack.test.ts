import { readdir, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { nodeSpecs, publicKey } from "../../../tools/clusters";
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

test("no kubeconfig is in what it prints, in the process list or in a temporary file", async () => {
    const tokens = world.clusters.clusters.map(({ kubeconfig }) => /token: (\S+)/.exec(kubeconfig)?.[1] ?? "");
    expect(tokens.every((token) => token.length > 20)).toBe(true);
    const leaks = (text: string): boolean => tokens.some((token) => text.includes(token));
    const echo = `cat ${path.join(project.dir, "mesh.json")}; ps -eo args; exit 3`;
    await world.get("berlin").deletePeer("edge--hub--hub-n1");
    const following = start("--stack", "test", "--", "sh", "-c", echo);
    await following.says(/the run failed/);
    const commands = processTree(following.pid).length;
    expect(commands).toBeGreaterThan(0);
    expect(leaks(following.printed())).toBe(false);
    for (const entry of await readdir(os.tmpdir(), { withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const text = await readFile(path.join(os.tmpdir(), entry.name), "latin1").catch(() => "");
        expect([entry.name, leaks(text)]).toEqual([entry.name, false]);
    }
    const args = await Promise.all(
        (await readdir("/proc"))
            .filter((name) => /^\d+$/.test(name))
            .map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")),
    );
    expect(args.some(leaks)).toBe(false);
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
