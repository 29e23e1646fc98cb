import { decodeLedger } from "../../../provider/state/ledger";
import {
    DESTROY,
    type Interruptible,
    killProvider,
    killTree,
    PEERS,
    providersOf,
    remaining,
    UP,
    withMesh,
} from "../support/meshed-through-proxies";
import { expectConverged, expectGone } from "../support/outcomes";
import { renewKeys } from "../support/renew-keys";
import { until } from "../support/until";

jest.setTimeout(600_000);

let mesh: Interruptible;
withMesh((started) => {
    mesh = started;
});

/** The last write may still be on its way when its sender is dead. */
const oursWhen = (count: number) => until(mesh.ours, (found) => found.length === count);

/** Every write that was sent in this test. */
const writes = async () => [...mesh.proxies.values()].flatMap(({ requests }) => requests.filter(({ write }) => write));

async function keysInClusters(): Promise<string[]> {
    const keys: string[] = [];
    for (const cluster of mesh.world.clusters.clusters) {
        for (const { spec } of await cluster.listPeers()) keys.push(spec.publicKey ?? "");
    }
    return keys.sort();
}

/** Every peer has to change; returns the keys as they must become. */
async function renewAllKeys(round: string): Promise<string[]> {
    const keys: string[] = [];
    for (const cluster of mesh.world.clusters.clusters) keys.push(...(await renewKeys(cluster, round)));
    return keys.sort();
}

describe("killed with SIGKILL after each write in turn", () => {
    test("a create goes on where it was", async () => {
        for (let done = 1; done <= PEERS.length; done++) {
            await mesh.interruptAfter(1, UP, killTree);
            expect(await oursWhen(done)).toHaveLength(done);
            await mesh.unlock();
        }
        await expectConverged(mesh);
    });

    test("an update goes on where it was", async () => {
        await mesh.succeed(...UP);
        const wanted = await renewAllKeys("killed");
        for (let done = 1; done <= PEERS.length; done++) {
            await mesh.interruptAfter(1, UP, killTree);
            const changed = async () => (await keysInClusters()).filter((key) => wanted.includes(key));
            expect(await until(changed, (keys) => keys.length === done)).toHaveLength(done);
            await mesh.unlock();
        }
        await expectConverged(mesh);
        expect(await keysInClusters()).toEqual(wanted);
    });

    test("a destroy goes on where it was and leaves nothing", async () => {
        await mesh.succeed(...UP);
        for (let left = PEERS.length - 1; left >= 0; left--) {
            await mesh.interruptAfter(1, DESTROY, killTree);
            expect(await oursWhen(left)).toHaveLength(left);
            await mesh.unlock();
        }
        await expectGone(mesh);
    });
});

describe("the process of the provider alone is killed", () => {
    test("in a create, an update and a destroy: the command fails, and the next one goes on", async () => {
        const created = await mesh.interruptAfter(2, UP, killProvider);
        expect(created.code).not.toBe(0);
        await expectConverged(mesh);
        const wanted = await renewAllKeys("provider");
        expect((await mesh.interruptAfter(2, UP, killProvider)).code).not.toBe(0);
        await expectConverged(mesh);
        expect(await keysInClusters()).toEqual(wanted);
        expect((await mesh.interruptAfter(2, DESTROY, killProvider)).code).not.toBe(0);
        await expectGone(mesh);
    });
});

test("a provider whose engine was killed ends instead of writing on", async () => {
    let providers: number[] = [];
    await mesh.interruptAfter(0, UP, async ({ pid }) => {
        expect(await until(writes, (sent) => sent.length === PEERS.length)).toHaveLength(PEERS.length);
        providers = providersOf(pid);
        process.kill(pid, "SIGKILL");
        // All are lost; from now on nothing but the provider itself keeps it from sending them again.
        mesh.calm();
    });
    expect(providers).not.toEqual([]);
    expect(await remaining(providers, 60)).toEqual([]);
    expect(await mesh.ours()).toEqual([]);
    await mesh.unlock();
    await expectConverged(mesh);
    await expectGone(mesh);
});

test("^C once finishes what is in flight and records it", async () => {
    await mesh.project.watched(UP, async () => {
        const running = mesh.project.start(UP);
        for (const proxy of mesh.proxies.values()) {
            proxy.inject({ fault: { kind: "delay", milliseconds: 1_500 }, when: ({ write }) => write });
        }
        expect(await until(writes, (sent) => sent.length > 0, 120)).not.toEqual([]);
        process.kill(running.pid, "SIGINT");
        return running.done;
    });
    mesh.calm();
    const recorded = (await mesh.project.resources()).flatMap(({ outputs }) => [
        ...decodeLedger(outputs?.ledger).keys(),
    ]);
    const written = await mesh.ours();
    expect(written).toEqual(PEERS);
    for (const name of written) expect(recorded).toContain(name.slice(name.indexOf("/") + 1));
    await expectConverged(mesh);
    await expectGone(mesh);
});
