import type { Outcome } from "../support/project";
import { meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(300_000);

let world: World;

beforeAll(async () => {
    world = await startWorld(["hub", "berlin", "tokyo"], 2);
});

afterAll(async () => {
    await world?.stop();
});

function succeeded({ code, text }: Outcome): string {
    if (code !== 0) throw new Error(text);
    return text;
}

test("two stacks that share a hub and no spoke live beside each other, and one can go without the other", async () => {
    const shard = async (name: string, spoke: string) => {
        const project = await world.project({ name, stack: name });
        await project.write(meshOf(name, [world.get("hub"), world.get(spoke)]));
        return project;
    };
    const west = await shard("west", "berlin");
    const east = await shard("east", "tokyo");
    succeeded(await west.up());
    succeeded(await east.up());
    const ofWest = ["west--berlin--berlin-n1", "west--berlin--berlin-n2"];
    const ofEast = ["east--tokyo--tokyo-n1", "east--tokyo--tokyo-n2"];
    expect(await world.peers("hub")).toEqual([...ofEast, ...ofWest]);
    expect(await world.peers("berlin")).toEqual(["west--hub--hub-n1", "west--hub--hub-n2"]);
    expect(await world.peers("tokyo")).toEqual(["east--hub--hub-n1", "east--hub--hub-n2"]);
    for (const project of [west, east]) expect(succeeded(await project.up())).toMatch(/Resources:\s+\d+ unchanged\n/);

    await world.get("berlin").putNode({ name: "berlin-n9" });
    succeeded(await west.up());
    expect(await world.peers("hub")).toEqual([...ofEast, ...ofWest, "west--berlin--berlin-n9"]);
    expect(succeeded(await east.up())).toMatch(/Resources:\s+\d+ unchanged\n/);

    succeeded(await west.destroy());
    expect(await world.peers("hub")).toEqual(ofEast);
    expect(await world.peers("berlin")).toEqual([]);
    expect(succeeded(await east.up())).toMatch(/Resources:\s+\d+ unchanged\n/);
});
