import fc from "../../support/chance";
import { doubleWorlds } from "../../support/engine/double-world";
import { blindness, goBlind } from "./blind";
import { CLUSTERS } from "./wander";

const WALKS = 15;
const LIMIT_MS = 60_000;

test("whatever runs do not know, they withdraw nothing, and when they know again they come to rest", async () => {
    const end = performance.now() + LIMIT_MS;
    const worlds = doubleWorlds(CLUSTERS);
    const rounds = fc.array(fc.array(blindness, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 });
    let walked = 0;
    await fc.assert(
        fc.asyncProperty(rounds, async (blind) => {
            if (performance.now() > end) return;
            const world = await worlds.open();
            try {
                await goBlind(world, blind);
                walked += blind.length;
            } finally {
                await world.close();
            }
        }),
        { numRuns: WALKS },
    );
    process.stdout.write(`runs that know less: ${walked}\n`);
    expect(walked).toBeGreaterThan(5);
});
