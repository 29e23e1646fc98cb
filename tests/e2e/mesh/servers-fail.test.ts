import { publicKey } from "../../../tools/clusters";
import { type Interruptible, interruptible, UP } from "../support/meshed-through-proxies";
import { until } from "../support/until";

/** With the real engine, one of each kind; at every write in tests/faults/server-failures.test.ts. */
jest.setTimeout(600_000);

const PEERS = [
    "berlin/edge--hub--hub-n1",
    "berlin/edge--hub--hub-n2",
    "hub/edge--berlin--berlin-n1",
    "hub/edge--berlin--berlin-n2",
];

let mesh: Interruptible;
let foreign: string;

beforeAll(async () => {
    mesh = await interruptible(["hub", "berlin"], 2);
    for (const cluster of mesh.world.clusters.clusters) {
        const spec = { publicKey: publicKey("somebody", cluster.name), allowedIPs: ["10.250.0.1/32"] };
        await cluster.createPeer({ name: "road-warrior", spec });
    }
    foreign = await foreignPeers();
});

afterAll(async () => {
    await mesh?.close();
});

async function foreignPeers(): Promise<string> {
    const lists = await Promise.all(mesh.world.clusters.clusters.map((cluster) => cluster.listPeers()));
    return JSON.stringify(lists.flat().filter(({ metadata }) => metadata.name === "road-warrior"));
}

/** Runs `up` and calls `strike` at its first write to the cluster, before that is done. */
async function upWith(cluster: string, strike: () => Promise<void>): Promise<void> {
    let struck: Promise<void> | undefined;
    const proxy = mesh.proxies.get(cluster)!;
    proxy.inject({
        fault: { kind: "reset" },
        when: ({ write }) => {
            if (write) struck ??= strike();
            return false;
        },
    });
    await mesh.project.run(UP);
    proxy.clear();
    expect(struck).toBeDefined();
    await struck;
}

const answers = (cluster: string) => () =>
    mesh.world.get(cluster).request("GET", "/readyz").catch(String) as Promise<string>;

async function converge(): Promise<void> {
    for (const { name } of mesh.world.clusters.clusters) {
        expect(await until(answers(name), (text) => text === "ok", 60)).toBe("ok");
    }
    await mesh.succeed(...UP);
    expect(await mesh.ours()).toEqual(PEERS);
    expect((await mesh.succeed(...UP)).text).toMatch(/Resources:\s+6 unchanged/);
    expect(await foreignPeers()).toBe(foreign);
}

/** Every peer in the hub has to change. */
async function renewKeys(round: string): Promise<void> {
    for (const n of [1, 2]) {
        const key = publicKey("berlin", `${round}-${n}`);
        await mesh.world.get("berlin").putNode({ name: `berlin-n${n}`, index: n, key });
    }
}

test("etcd is killed during the first up and starts again: the next up converges", async () => {
    const { database } = mesh.world.clusters;
    await upWith("hub", async () => {
        await database.kill();
        await database.start();
    });
    await converge();
});

test("an API server is killed during an up and starts again: the next up converges", async () => {
    await renewKeys("killed");
    const hub = mesh.world.get("hub");
    await upWith("hub", async () => {
        await hub.kill();
        await hub.start();
    });
    await converge();
});

test("an API server is frozen for the whole rest of an up and does late what it was asked: the next up converges", async () => {
    await renewKeys("frozen");
    const hub = mesh.world.get("hub");
    await upWith("hub", async () => hub.suspend());
    hub.resume();
    await converge();
});

test("after all that a destroy leaves nothing but what is not ours", async () => {
    await mesh.succeed("destroy", "--yes", "--skip-preview", "--stack", "test");
    expect(await mesh.ours()).toEqual([]);
    expect(await mesh.project.resources()).toEqual([]);
    expect(await foreignPeers()).toBe(foreign);
});
