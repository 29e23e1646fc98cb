import { seed } from "../../support/chance";
import type { Step } from "./steps";

/** Counts the steps of all walks of a file, for the line at its end. */
export class Tally {
    taken = 0;
    /** Writes at which all pairs that worked were judged. */
    writes = 0;
    /** Pairs judged after a run without faults. */
    judged = 0;
    /** Pairs that stopped working within a run because it replaced their own peer. */
    interrupted = 0;
    readonly #kinds = new Map<string, number>();

    add(step: Step): void {
        this.taken += 1;
        const how = "fault" in step ? " with a fault" : "crashAtWrite" in step ? " that crashes" : "";
        const kind = step.do + how;
        this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    }

    print(title: string): void {
        const kinds = [...this.#kinds].sort().map(([kind, count]) => `${kind} ${count}`);
        process.stdout.write(`${title}: ${this.taken} steps, seed ${seed} (${kinds.join(", ")})\n`);
        const { judged, writes, interrupted } = this;
        process.stdout.write(
            `${title}: ${judged} pairs judged after runs, ${writes} writes during them; ${interrupted} pairs interrupted by the replacement of their own peer\n`,
        );
    }
}
