import { seed } from "../../support/chance";
import type { Step } from "./steps";

/** Counts the steps of all walks of a file, for the line at its end. */
export class Tally {
    taken = 0;
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
    }
}
