import { forEachBounded } from "../../../provider/kube/bounded";
import type { Worlds } from "../../support/engine/mesh-world";
import { attempt, type Finding, type Trial } from "./trial";

/** Tries faults, demands that each took place and broke nothing, and counts them for the line at the end of a file. */
export class FaultTally {
    #tried = 0;
    #absorbed = 0;

    async tryAll(trials: readonly Trial[], worlds: Worlds, atOnce: number): Promise<void> {
        const findings: Finding[] = [];
        await forEachBounded(trials, atOnce, async (trial) => {
            findings.push(await attempt(trial, worlds));
        });
        expect(findings.filter(({ broken }) => broken.length > 0)).toEqual([]);
        expect(findings.filter(({ hit }) => !hit)).toEqual([]);
        this.#tried += findings.length;
        this.#absorbed += findings.filter(({ absorbed }) => absorbed).length;
    }

    print(title: string): void {
        process.stdout.write(
            `${title}: ${this.#tried} tried, ${this.#tried} survived; ${this.#absorbed} of them did not even fail the run\n`,
        );
    }
}
