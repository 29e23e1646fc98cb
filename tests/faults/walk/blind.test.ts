import fc from "../../support/chance";
import { doubleWorlds } from "../../support/engine/double-world";
import { shrinkingForAMinute } from "../../support/shrinking-for-a-minute";
import { blindness, goBlind } from "./blind";
import { CLUSTERS } from "./wander";

jest.setTimeout(900_000);

/** `WALKS` asks for more. */
const WALKS = Number(process.env.WALKS ?? 15);

test("whatever runs do not know, they withdraw nothing, and when they know again they come to rest", async () => {
    const worlds = doubleWorlds(CLUSTERS);
    const rounds = fc.array(fc.array(blindness, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 });
    let walked = 0;
    await fc.assert(
        fc.asyncProperty(
            rounds,
            shrinkingForAMinute(async (blind) => {
                const world = await worlds.open();
                try {
                    await goBlind(world, blind);
                    walked += blind.length;
                } finally {
                    await world.close();
                }
            }),
        ),
        { numRuns: WALKS },
    );
    process.stdout.write(`runs that know less: ${walked}\n`);
    expect(walked).toBeGreaterThanOrEqual(WALKS * 2);
});
