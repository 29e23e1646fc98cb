import { fillDiskAtFirstWrite, forgetState, isStateIntact, restoreState } from "../support/full-disk";
import { type Interruptible, killTree, PEERS, through, UP, withMesh } from "../support/meshed-through-proxies";
import { expectGone, expectIdle } from "../support/outcomes";
import { addStrangers, bytesOf } from "../support/strangers";
import { until } from "../support/until";

/** The engine tries for half a minute to write a state before it gives up. */
jest.setTimeout(600_000);

let mesh: Interruptible;
let expectStrangersUntouched: () => Promise<void>;
withMesh(async (started) => {
    mesh = started;
    expectStrangersUntouched = await addStrangers(mesh.world);
});

function upOnFullDisk() {
    const running = mesh.project.start(UP);
    fillDiskAtFirstWrite(running, mesh.proxies.values());
    return running;
}

test("the disk is full when an up wants to record its peers: it says so, and with the last backup the next up knows them by their claim", async () => {
    await mesh.succeed(...UP);
    await mesh.world.get("hub").putNode({ name: "hub-n3", index: 3 });
    const { code, text } = await mesh.project.watched(UP, () => upOnFullDisk().done);
    mesh.calm();
    expect(code).not.toBe(0);
    expect(text).toContain("failed to save snapshot");
    expect(await mesh.ours()).toContain("berlin/edge--hub--hub-n3");
    expect((await mesh.project.up()).text).toContain("failed to load checkpoint");
    const written = await bytesOf("ours", mesh.world);

    await restoreState(mesh.project);
    await mesh.succeed(...UP);
    expect(await bytesOf("ours", mesh.world)).toBe(written);
    await expectIdle(mesh);
    await expectGone(mesh);
    await expectStrangersUntouched();
});

test("the disk is full in the very first up and no state is left: adopt takes the peers over, and destroy leaves nothing", async () => {
    await mesh.project.watched(UP, async () => {
        const running = upOnFullDisk();
        expect(
            await until(
                () => isStateIntact(mesh.project),
                (intact) => !intact,
                120,
            ),
        ).toBe(false);
        expect(await until(mesh.ours, (found) => found.length === PEERS.length)).toEqual(PEERS);
        await killTree(running);
        return running.done;
    });
    mesh.calm();
    await forgetState(mesh.project);

    const { name, args } = through(mesh.world.clusters.clusters, mesh.proxies);
    await mesh.project.write({ name, args: { ...args, adopt: true } });
    await mesh.succeed(...UP);
    expect(await mesh.ours()).toEqual(PEERS);
    await expectIdle(mesh);
    await expectGone(mesh);
    await expectStrangersUntouched();
});
