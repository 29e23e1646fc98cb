import { type Blow, FROZEN, KILLED, WITHOUT_DATABASE } from "./support/blows";
import { CRASH_SCENARIOS, writesOf } from "./support/crash";
import { MomentTally } from "./support/moment-tally";
import type { Moment } from "./support/ordeal";
import { type Strike, strikeServers } from "./support/server-blow";
import { withRealWorlds } from "./support/with-real-worlds";

/** Servers die in the middle of a run; runs that die are in crashes.test.ts, and both with the real engine in tests/e2e/mesh. */
const SETS = 2;

jest.setTimeout(600_000);

const tally = new MomentTally();
const worlds = withRealWorlds(["hub", "berlin"], SETS, () => tally.print("failures of servers"));

/** Every second write was done when its server is hit. */
const momentOf = (write: number): Moment => ({
    write,
    when: write % 2 === 0 ? "after it is done" : "before it is done",
});

const survive = (strikes: readonly Strike[]): Promise<void> =>
    tally.tryAll(strikes, SETS, (strike) => strikeServers(strike, worlds()));

test.each(CRASH_SCENARIOS)("$name: the API server may be killed at every single write", async (scenario) => {
    const writes = await writesOf(scenario, worlds());
    expect(writes).toBeGreaterThan(3);
    await survive(Array.from({ length: writes }, (_, at) => ({ scenario, blow: KILLED, ...momentOf(at + 1) })));
});

const atFirstWrites = (blow: Blow): Strike[] =>
    CRASH_SCENARIOS.flatMap((scenario) => [1, 2].map((write) => ({ scenario, blow, ...momentOf(write) })));

test("an API server may be frozen for longer than the deadline, and do late what it was asked", async () => {
    await survive(atFirstWrites(FROZEN));
});

test("etcd may be killed and start again in the middle of a run", async () => {
    await survive(atFirstWrites(WITHOUT_DATABASE));
});
