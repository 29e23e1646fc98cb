import { publicKey } from "../../../tools/clusters";
import { fillDiskAtFirstWrite, forgetState, isStateIntact, restoreState } from "../support/full-disk";
import { DESTROY, type Interruptible, interruptible, killTree, through, UP } from "../support/meshed-through-proxies";
import { until } from "../support/until";

/** The engine tries for half a minute to write a state before it gives up. */
jest.setTimeout(600_000);

let mesh: Interruptible;
let foreign: string;

beforeAll(async () => {
    mesh = await interruptible(["hub", "berlin"], 2);
    for (const cluster of mesh.world.clusters.clusters) {
        const spec = { publicKey: publicKey("somebody", cluster.name), allowedIPs: ["10.250.0.1/32"] };
        await cluster.createPeer({ name: "road-warrior", spec });
    }
    foreign = await texts(false);
});

afterAll(async () => {
    await mesh?.close();
});

/** Peers of ours, or all others, to the last byte. */
async function texts(ours: boolean): Promise<string> {
    const lists = await Promise.all(mesh.world.clusters.clusters.map((cluster) => cluster.listPeers()));
    return JSON.stringify(lists.flat().filter(({ metadata }) => (metadata.name !== "road-warrior") === ours));
}

function upOnFullDisk() {
    const running = mesh.project.start(UP);
    fillDiskAtFirstWrite(running, mesh.proxies.values());
    return running;
}

const calm = (): void => {
    for (const proxy of mesh.proxies.values()) proxy.clear();
};

async function leaveNothing(): Promise<void> {
    await mesh.succeed(...DESTROY);
    expect(await mesh.ours()).toEqual([]);
    expect(await mesh.project.resources()).toEqual([]);
    expect(await texts(false)).toBe(foreign);
}

test("the disk is full when an up wants to record its peers: it says so, and with the last backup the next up knows them by their claim", async () => {
    await mesh.succeed(...UP);
    await mesh.world.get("hub").putNode({ name: "hub-n3", index: 3 });
    const { code, text } = await upOnFullDisk().done;
    calm();
    expect(code).not.toBe(0);
    expect(text).toContain("failed to save snapshot");
    expect(await mesh.ours()).toContain("berlin/edge--hub--hub-n3");
    expect((await mesh.project.up()).text).toContain("failed to load checkpoint");
    const written = await texts(true);

    await restoreState(mesh.project);
    await mesh.succeed(...UP);
    expect(await texts(true)).toBe(written);
    expect((await mesh.succeed(...UP)).text).toMatch(/Resources:\s+6 unchanged/);
    await leaveNothing();
});

test("the disk is full in the very first up and no state is left: adopt takes the peers over, and destroy leaves nothing", async () => {
    await forgetState(mesh.project);
    const running = upOnFullDisk();
    expect(
        await until(
            () => isStateIntact(mesh.project),
            (intact) => !intact,
            120,
        ),
    ).toBe(false);
    expect(await until(mesh.ours, (found) => found.length === 5)).toHaveLength(5);
    await killTree(running);
    await running.done;
    calm();
    await forgetState(mesh.project);

    const { name, args } = through(mesh.world.clusters.clusters, mesh.proxies);
    await mesh.project.write({ name, args: { ...args, adopt: true } });
    await mesh.succeed(...UP);
    expect(await mesh.ours()).toHaveLength(5);
    expect((await mesh.succeed(...UP)).text).toMatch(/Resources:\s+6 unchanged/);
    await leaveNothing();
});
