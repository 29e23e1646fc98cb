import fc from "../../support/chance";
import { withRealWorlds } from "../support/with-real-worlds";
import { type Step, step } from "./steps";
import { Tally } from "./tally";
import { CLUSTERS, wander } from "./wander";

/** The same walk as on the double, over real API servers. They are too slow for shrinking: the double is there for it. */
const STEPS = 120;

const tally = new Tally();
const worlds = withRealWorlds(CLUSTERS, 1, () => tally.print("random walk over real API servers"));

const steps: readonly Step[] = fc.sample(step, { numRuns: STEPS });

test("wherever a random walk over real API servers leads, a run without faults comes to the model and destroy leaves nothing", async () => {
    await wander(steps, worlds(), tally);
    expect(tally.taken).toBe(STEPS);
});
