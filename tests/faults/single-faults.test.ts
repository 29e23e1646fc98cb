import { forEachBounded } from "../../provider/kube/bounded";
import { FAULTS } from "./support/faults";
import { SCENARIOS } from "./support/scenarios";
import { attempt, type Finding, survey, type Trial } from "./support/trial";

/** Trials wait for timeouts more than they compute. */
const AT_ONCE = 16;

let tried = 0;
let absorbed = 0;

afterAll(() => {
    process.stdout.write(
        `single faults: ${tried} tried, ${tried} survived; ${absorbed} of them did not even fail the run\n`,
    );
});

test.each(SCENARIOS)("$name survives every fault at every single request", async (scenario) => {
    const places = await survey(scenario);
    const trials = places.flatMap((place) =>
        Object.keys(FAULTS).flatMap((fault): Trial[] =>
            (["once", "always"] as const).map((how) => ({ scenario, place, fault, how })),
        ),
    );
    const findings: Finding[] = [];
    await forEachBounded(trials, AT_ONCE, async (trial) => {
        findings.push(await attempt(trial));
    });
    expect(findings.filter(({ broken }) => broken.length > 0)).toEqual([]);
    expect(findings.filter(({ struck }) => !struck)).toEqual([]);
    tried += findings.length;
    absorbed += findings.filter((finding) => finding.absorbed).length;
});
