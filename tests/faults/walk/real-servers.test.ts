import fc from "fast-check";
import { type RealWorlds, startRealWorlds } from "../../support/engine/real-world";
import { seed } from "./seed";
import { type Step, step } from "./steps";
import { Tally } from "./tally";
import { Walk } from "./walk";

/** The same walk as on the double, over real API servers. They are too slow for shrinking: the double is there for it. */
const STEPS = 120;
const CLUSTERS = ["a", "b", "c"];

const tally = new Tally();
let worlds: RealWorlds;

beforeAll(async () => {
    worlds = await startRealWorlds(CLUSTERS);
}, 600_000);
afterAll(async () => {
    await worlds?.stop();
    tally.print("random walk over real API servers");
}, 60_000);

const steps: readonly Step[] = fc.sample(step, { seed, numRuns: STEPS });

test("wherever a random walk over real API servers leads, a run without faults comes to the model and destroy leaves nothing", async () => {
    const world = await worlds.open();
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
    expect(tally.taken).toBe(STEPS);
});
