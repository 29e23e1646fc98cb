import { FAULTS, type Place, SLOW } from "./support/faults";
import { SCENARIOS } from "./support/scenarios";
import { survey, type Trial } from "./support/trial";
import { FaultTally } from "./support/try-all";
import { withRealWorlds } from "./support/with-real-worlds";

/**
 * The faults of single-faults.test.ts with real API servers behind the proxies. They are slower than the double: every
 * request gets a third of the faults, its neighbours the others, each once and not for good; those that cost a timeout
 * tried at the first and the last request only.
 */
const SETS = 2;

jest.setTimeout(600_000);

const tally = new FaultTally();
const worlds = withRealWorlds(["hub", "berlin"], SETS, () => tally.print("single faults before real API servers"));

const faultsAt = (at: number, { length }: readonly Place[]): string[] =>
    Object.keys(FAULTS).filter((fault, which) =>
        SLOW.has(fault) ? at === 0 || at === length - 1 : (at + which) % 3 === 0,
    );

test.each(SCENARIOS)("with real API servers $name survives a fault at every single request", async (scenario) => {
    const places = await survey(scenario, worlds());
    const trials = places.flatMap((place, at) =>
        faultsAt(at, places).map((fault): Trial => ({ scenario, place, fault, how: "once" })),
    );
    await tally.tryAll(trials, worlds(), SETS);
});
