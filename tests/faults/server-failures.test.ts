import { breakServers, type ServerFaultScene } from "./support/break-servers";
import { CRASH_SCENARIOS, writesOf } from "./support/crash";
import type { Moment } from "./support/fault-run";
import { MomentTally } from "./support/moment-tally";
import { FROZEN, KILLED, type ServerFault, WITHOUT_DATABASE } from "./support/server-faults";
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

const survive = (scenes: readonly ServerFaultScene[]): Promise<void> =>
    tally.tryAll(scenes, SETS, (scene) => breakServers(scene, worlds()));

test.each(CRASH_SCENARIOS)("$name: the API server may be killed at every single write", async (scenario) => {
    const writes = await writesOf(scenario, worlds());
    expect(writes).toBeGreaterThan(3);
    await survive(Array.from({ length: writes }, (_, at) => ({ scenario, fault: KILLED, ...momentOf(at + 1) })));
});

const atFirstWrites = (fault: ServerFault): ServerFaultScene[] =>
    CRASH_SCENARIOS.flatMap((scenario) => [1, 2].map((write) => ({ scenario, fault, ...momentOf(write) })));

test("an API server may be frozen for longer than the deadline, and do late what it was asked", async () => {
    await survive(atFirstWrites(FROZEN));
});

test("etcd may be killed and start again in the middle of a run", async () => {
    await survive(atFirstWrites(WITHOUT_DATABASE));
});
