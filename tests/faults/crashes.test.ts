import { doubleWorlds } from "../support/engine/double-world";
import { CRASH_SCENARIOS, crashAt, writesOf } from "./support/crash";
import type { Scene } from "./support/fault-run";
import { MomentTally } from "./support/moment-tally";

/** In this process, thousands of times cheaper than with the real engine; that one is killed in tests/e2e/mesh. */
const worlds = doubleWorlds(["hub", "berlin"]);
const tally = new MomentTally();
afterAll(() => tally.print("crashes"));

test.each(CRASH_SCENARIOS)("a crash at any write of a $name loses nothing", async (scenario) => {
    const writes = await writesOf(scenario, worlds);
    expect(writes).toBeGreaterThan(3);
    const scenes = Array.from({ length: writes }, (_, at) =>
        (["before it is done", "after it is done"] as const).map((when): Scene => ({ scenario, write: at + 1, when })),
    ).flat();
    await tally.tryAll(scenes, 8, (scene) => crashAt(scene, worlds));
});
