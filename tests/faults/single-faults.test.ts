import { doubleWorlds } from "../support/engine/double-world";
import { FAULTS } from "./support/faults";
import { SCENARIOS } from "./support/scenarios";
import { survey, type Trial } from "./support/trial";
import { FaultTally } from "./support/try-all";

/** Trials wait for timeouts more than they compute. */
const AT_ONCE = 16;

const worlds = doubleWorlds(["hub", "berlin"]);
const tally = new FaultTally();
afterAll(() => tally.print("single faults"));

test.each(SCENARIOS)("$name survives every fault at every single request", async (scenario) => {
    const places = await survey(scenario, worlds);
    const trials = places.flatMap((place) =>
        Object.keys(FAULTS).flatMap((fault): Trial[] =>
            (["once", "always"] as const).map((how) => ({ scenario, place, fault, how })),
        ),
    );
    await tally.tryAll(trials, worlds, AT_ONCE);
});
