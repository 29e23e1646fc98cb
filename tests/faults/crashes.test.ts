import { forEachBounded } from "../../provider/kube/bounded";
import { doubleWorlds } from "../support/engine/double-world";
import { CRASH_SCENARIOS, crashAt, writesOf } from "./support/crash";

/** In this process, thousands of times cheaper than with the real engine; that one is killed in tests/e2e/mesh. */
const worlds = doubleWorlds(["hub", "berlin"]);
let tried = 0;

afterAll(() => {
    process.stdout.write(`crashes: ${tried} tried, ${tried} survived\n`);
});

test.each(CRASH_SCENARIOS)("a crash at any write of a $name loses nothing", async (scenario) => {
    const writes = await writesOf(scenario, worlds);
    expect(writes).toBeGreaterThan(3);
    const cases = Array.from({ length: writes }, (_, at) =>
        (["before it is done", "after it is done"] as const).map((when) => ({ write: at + 1, when })),
    ).flat();
    const broken: string[] = [];
    await forEachBounded(cases, 8, async (moment) => {
        for (const what of await crashAt(scenario, moment, worlds))
            broken.push(`write ${moment.write}, ${moment.when}: ${what}`);
    });
    tried += cases.length;
    expect(broken).toEqual([]);
});
