import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { nodeSpecs } from "../../../tools/clusters";
import { pulumiEnvironment } from "../../../tools/pulumi/environment";
import { Command } from "../../e2e/cli/command";
import type { Project } from "../../e2e/support/project";
import { until } from "../../e2e/support/until";
import { argsOf, meshOf, startWorld, type World } from "../../e2e/support/world";
import { startWatch, type WatchProcess } from "../../e2e/watch/watcher";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy";

jest.setTimeout(900_000);

const UP = ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"];
const WAIT_SECONDS = 180;

let world: World;
let project: Project;
let proxy: FaultProxy;
let env: Record<string, string>;
let watch: WatchProcess | undefined;

beforeAll(async () => {
    world = await startWorld(["hub", "berlin", "tokyo"], 2);
    project = await world.project();
    env = pulumiEnvironment(world.tools, project.dir);
    const [hub, berlin, tokyo] = world.clusters.clusters.map(argsOf);
    proxy = await startFaultProxy({ kubeconfig: tokyo!.kubeconfig });
    await project.write(meshOf("edge", [hub!, berlin!, { ...tokyo!, kubeconfig: proxy.kubeconfig }]));
    const { code, text } = await project.up();
    if (code !== 0) throw new Error(text);
});

afterEach(async () => {
    proxy?.clear();
    if (watch?.child.exitCode === null) await watch.stop();
    watch = undefined;
});

afterAll(async () => {
    await proxy?.close();
    await world?.stop();
});

async function follow(...command: string[]): Promise<WatchProcess> {
    watch = startWatch(["--stack", "test", "--", ...command], project.dir, env);
    await watch.says(/tokyo is seen/, WAIT_SECONDS);
    return watch;
}

let joined = 2;
/** A new node of hub; returns the name of its peers. */
async function join(): Promise<string> {
    joined++;
    await world.get("hub").putNode(nodeSpecs(world.get("hub"), joined)[joined - 1]!);
    return `edge--hub--hub-n${joined}`;
}

async function arrives(peer: string, ...targets: string[]): Promise<void> {
    for (const target of targets) {
        const names = await until(
            () => world.peers(target),
            (all) => all.includes(peer),
            WAIT_SECONDS,
        );
        if (!names.includes(peer)) throw new Error(`${peer} is not in ${target}: ${watch?.printed()}`);
    }
}

test("a stack that a person's up has locked is tried again until it is free", async () => {
    const following = await follow(...UP);
    const person = project.start(["up", "--yes", "--skip-preview", "--stack", "test"]);
    try {
        await until(
            async () => locks(),
            (found) => found.length > 0,
            WAIT_SECONDS,
        );
        process.kill(-person.pid, "SIGSTOP");
        const peer = await join();
        await following.says(/the run failed after .*tried again[\s\S]*locked/, WAIT_SECONDS);
        process.kill(-person.pid, "SIGCONT");
        expect((await person.done).code).toBe(0);
        await arrives(peer, "berlin", "tokyo");
    } finally {
        person.kill();
    }
    expect(await following.stop()).toBe(0);
    expect(locks()).toEqual([]);
});

const locks = (): readonly string[] =>
    readdirSync(project.dir, { recursive: true, encoding: "utf8" }).filter((name) => /\blocks\b.*\.json$/.test(name));

test("a command that fails three times is tried later each time with its last lines logged, and then converges", async () => {
    const script = path.join(project.dir, "flaky.sh");
    writeFileSync(
        script,
        `echo try >> tries; n=$(wc -l < tries); [ $n -gt 3 ] && exec ${UP.join(" ")}; echo "mishap $n" >&2; exit 7\n`,
    );
    const following = await follow("sh", script);
    const peer = await join();
    await arrives(peer, "berlin", "tokyo");
    await following.says(/the run succeeded/, WAIT_SECONDS);
    const printed = following.printed();
    expect([...printed.matchAll(/\| mishap (\d)/g)].map(([, at]) => at)).toEqual(["1", "2", "3"]);
    const waits = [...printed.matchAll(/\(exit code 7\).*it is tried again in (\d+) s/g)].map(([, wait]) =>
        Number(wait),
    );
    expect(waits).toHaveLength(3);
    expect(waits[2]).toBeGreaterThan(waits[0]!);
});

test("SIGTERM in the middle of a write, even twice: the run is asked once, waited for, and nothing is lost", async () => {
    const following = await follow(...UP);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
        release = resolve;
    });
    proxy.resetLog();
    proxy.inject({ fault: { kind: "hold", until: released }, when: ({ write }) => write });
    const peer = await join();
    const writes = await until(
        async () => proxy.requests.filter(({ write }) => write).length,
        (found) => found > 0,
        WAIT_SECONDS,
    );
    expect(writes).toBe(1);
    following.child.kill("SIGTERM");
    await following.says(/stopping: the run under way is asked to finish/);
    following.child.kill("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(following.child.exitCode).toBeNull();
    release();
    expect(await following.done).toBe(0);
    expect(following.printed()).toContain("the run has ended");
    expect(await world.peers("tokyo")).toContain(peer);
    expect(locks()).toEqual([]);
    // every object with our claim is in the ledger
    expect(await new Command(project.dir, env).run(["sweep", "--stack", "test"])).toMatchObject({ code: 0 });
    proxy.clear();
    watch = startWatch(["--stack", "test", "--once", "--", ...UP], project.dir, env);
    expect(await watch.done).toBe(0);
    await arrives(peer, "berlin", "tokyo");
});

test("a member whose credentials are refused holds up nobody: changes of the others are done without a pause", async () => {
    const following = await follow(...UP);
    proxy.inject({ fault: { kind: "answer", status: 401 } });
    await arrives(await join(), "berlin");
    await following.says(/the run failed, but nothing is left that it could do/, WAIT_SECONDS);
    const second = await join();
    await arrives(second, "berlin");
    await following.says(/(failed, but nothing is left[\s\S]*){2}/, WAIT_SECONDS);
    expect(following.printed()).not.toContain("it is tried again");
    expect(await world.peers("tokyo")).not.toContain(second);
    proxy.clear();
    await arrives(second, "tokyo");
});
