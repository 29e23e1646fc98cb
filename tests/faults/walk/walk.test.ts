import fc from "fast-check";
import { startDoubleWorld } from "../../support/engine/double-world";
import { seed } from "./seed";
import { type Step, step } from "./steps";
import { Tally } from "./tally";
import { Walk } from "./walk";

const WALKS = 60;
const STEPS = 60;
const CLUSTERS = ["a", "b", "c"];
/** On a slow machine fewer walks, but whole ones. */
const LIMIT_MS = 90_000;

const tally = new Tally();
afterAll(() => tally.print("random walk"));

async function walk(steps: readonly Step[]): Promise<void> {
    const world = await startDoubleWorld(CLUSTERS);
    try {
        const walk = new Walk(world.clusters, world.engine(), 2, 10);
        await walk.start();
        for (const next of steps) {
            await walk.take(next);
            tally.add(next);
        }
        await walk.finish();
    } finally {
        await world.close();
    }
}

test("wherever a random walk of changes, hand edits, faults and crashes leads, a run without faults comes to the model", async () => {
    const end = performance.now() + LIMIT_MS;
    await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: STEPS / 2, maxLength: STEPS, size: "max" }), async (steps) => {
            if (performance.now() < end) await walk(steps);
        }),
        { seed, numRuns: WALKS },
    );
    expect(tally.taken).toBeGreaterThan(1_000);
});
