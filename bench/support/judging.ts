import type { Case, ScenarioName } from "./results";
import { median } from "./statistics";

/** A figure that must reach something. */
export interface Bar {
    readonly figure: string;
    readonly bar: string;
    readonly scenario: ScenarioName;
    /** Absent when the sizes it speaks of were not measured. */
    readonly judge: (cases: readonly Case[]) => Verdict | undefined;
}

export interface Verdict {
    readonly measured: readonly number[];
    readonly unit: string;
    readonly met: boolean;
}

export const named = (cases: readonly Case[], name: string): Case | undefined =>
    cases.find((each) => each.name === name);

/** Judges one case, where it was measured. */
export const ofCase =
    (name: string, judge: (found: Case) => Verdict): Bar["judge"] =>
    (cases) => {
        const found = named(cases, name);
        return found && judge(found);
    };

export const atLeast = (measured: readonly number[], bar: number, unit = "×"): Verdict => ({
    measured,
    unit,
    met: median(measured) >= bar,
});

export const atMost = (measured: readonly number[], bar: number, unit = "×"): Verdict => ({
    measured,
    unit,
    met: median(measured) <= bar,
});
