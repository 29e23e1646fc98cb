import fc from "../../support/chance";
import { withRealWorlds } from "../support/with-real-worlds";
import { type Blindness, blindness, goBlind } from "./blind";
import { CLUSTERS } from "./wander";

const ROUNDS = 8;

const worlds = withRealWorlds(CLUSTERS, 1, () => undefined);

const rounds: readonly (readonly Blindness[])[] = fc.sample(fc.array(blindness, { minLength: 1, maxLength: 4 }), {
    numRuns: ROUNDS,
});

test("whatever runs over real API servers do not know, they withdraw nothing, and come to rest when they know again", async () => {
    const world = await worlds().open();
    try {
        await goBlind(world, rounds);
    } finally {
        await world.close();
    }
});
