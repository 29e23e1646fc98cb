import fc from "../../support/chance";
import { doubleWorlds } from "../../support/engine/double-world";
import { step } from "./steps";
import { Tally } from "./tally";
import { CLUSTERS, wander } from "./wander";

const WALKS = 60;
const STEPS = 60;
/** On a slow machine fewer walks, but whole ones. */
const LIMIT_MS = 90_000;

const worlds = doubleWorlds(CLUSTERS);
const tally = new Tally();
afterAll(() => tally.print("random walk"));

test("wherever a random walk of changes, hand edits, faults and crashes leads, a run without faults comes to the model", async () => {
    const end = performance.now() + LIMIT_MS;
    await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: STEPS / 2, maxLength: STEPS, size: "max" }), async (steps) => {
            if (performance.now() < end) await wander(steps, worlds, tally);
        }),
        { numRuns: WALKS },
    );
    expect(tally.taken).toBeGreaterThan(1_000);
});
