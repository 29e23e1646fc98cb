import { type Interruptible, PEERS, providersOf, remaining, UP, withMesh } from "../support/meshed-through-proxies";
import { expectConverged, expectGone, expectRecorded } from "../support/outcomes";
import { until } from "../support/until";

jest.setTimeout(600_000);

let mesh: Interruptible;
withMesh((started) => {
    mesh = started;
}, "plugin");

const writes = async () => [...mesh.proxies.values()].flatMap(({ requests }) => requests.filter(({ write }) => write));

/** Processes of the plugin, while all writes of the first `up` wait for an answer. */
async function whileWriting(end: (pid: number, providers: readonly number[]) => Promise<void>): Promise<number[]> {
    let providers: number[] = [];
    await mesh.interruptAfter(0, UP, async ({ pid }) => {
        await until(writes, (sent) => sent.length === PEERS.length);
        providers = providersOf(pid);
        await end(pid, providers);
        mesh.calm();
    });
    return providers;
}

test("one process serves a whole run, and it ends with the engine: SIGKILL of the CLI leaves no orphan", async () => {
    const providers = await whileWriting(async (pid) => {
        process.kill(pid, "SIGKILL");
    });
    expect(providers).toHaveLength(1);
    expect(await remaining(providers, 60)).toEqual([]);
    await mesh.unlock();
    await expectConverged(mesh);
    await expectGone(mesh);
});

test("a reader that goes away ends the CLI by SIGPIPE, and the plugin with it", async () => {
    const held = mesh.project.start(UP);
    await until(writes, (sent) => sent.length > 0, 120);
    const providers = providersOf(held.pid);
    held.hangUp();
    await held.done;
    expect(providers).toHaveLength(1);
    expect(await remaining(providers, 60)).toEqual([]);
});

test("^C once: nothing more is begun, what was written is recorded to the last peer, and the next up goes on", async () => {
    // enough that the answer is larger than what a header of HTTP/2 usually is
    const NODES = 600;
    const hub = mesh.world.get("hub");
    await hub.putNodes(Array.from({ length: NODES }, (_, n) => ({ name: `hub-x${n}`, index: n + 10 })));
    for (const proxy of mesh.proxies.values()) {
        proxy.inject({ fault: { kind: "delay", milliseconds: 500 }, when: ({ write }) => write });
    }
    const running = mesh.project.start(UP);
    expect((await until(writes, (sent) => sent.length > 40, 180)).length).toBeGreaterThan(40);
    process.kill(running.pid, "SIGINT");
    const { code } = await running.done;
    expect(code).not.toBe(0);
    mesh.calm();
    expect((await expectRecorded(mesh)).length).toBeLessThan(NODES);
    await mesh.succeed(...UP);
    expect((await mesh.world.peers("berlin")).length).toBe(NODES + 2);
    await expectGone(mesh);
});
