import fc from "../../support/chance";
import { doubleWorlds } from "../../support/engine/double-world";
import { shrinkingForAMinute } from "../../support/shrinking-for-a-minute";
import { step } from "./steps";
import { Tally } from "./tally";
import { CLUSTERS, wander } from "./wander";

jest.setTimeout(900_000);

/** `WALKS` asks for more. */
const WALKS = Number(process.env.WALKS ?? 30);
const STEPS = 60;

const worlds = doubleWorlds(CLUSTERS);

describe.each([
    { form: "resources of each cluster", grouped: false, walks: WALKS },
    { form: "groups", grouped: true, walks: Math.ceil(WALKS / 2) },
])("recorded in $form", ({ form, grouped, walks }) => {
    const tally = new Tally();
    afterAll(() => tally.print(`random walk, recorded in ${form}`));

    test("wherever a random walk of changes, hand edits, faults and crashes leads, a run without faults comes to the model", async () => {
        await fc.assert(
            fc.asyncProperty(
                fc.array(step, { minLength: STEPS / 2, maxLength: STEPS, size: "max" }),
                shrinkingForAMinute((steps) => wander(steps, worlds, tally, grouped)),
            ),
            { numRuns: walks },
        );
        expect(tally.taken).toBeGreaterThanOrEqual((walks * STEPS) / 2);
    });
});
