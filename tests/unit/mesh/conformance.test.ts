import cases from "./cases/operator-sample.json";
import type { Case, Replays } from "./replay";
import { NETWORKS } from "./replay-networks";
import { PEERS } from "./replay-peers";

/**
 * Cases of the Go operator, restated. Each area is replayed through the pure core; where our design differs on purpose the
 * replay says so and asserts our side of the difference.
 */
const REPLAY: Replays = { ...NETWORKS, ...PEERS };

test("every area of the cases has a replay, and every replay a case", () => {
    expect([...new Set((cases as Case[]).map(({ area }) => area))].sort()).toEqual(Object.keys(REPLAY).sort());
});

describe.each(Object.keys(REPLAY))("%s behaves as in the operator, or as the design differs from it", (area) => {
    test.each((cases as Case[]).filter((given) => given.area === area))("$id $name", (given) => {
        expect.hasAssertions();
        REPLAY[area]!(given);
    });
});
