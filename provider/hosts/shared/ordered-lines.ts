/** One line for the engine's display, on a resource. */
export interface Line {
    readonly kind: "warning" | "progress";
    readonly message: string;
    readonly urn: string;
}

/**
 * Delivers lines one after the other: of two calls at once the engine may handle the later one first, and a resource that
 * ends with "1/6 peers" looks unfinished. Of a resource's progress that waits only the newest is told.
 */
export class OrderedLines {
    #waiting: (Line | (() => void))[] = [];
    #busy = false;

    constructor(private readonly deliver: (line: Line, done: () => void) => void) {}

    add(line: Line): void {
        if (line.kind === "progress") this.#waiting = this.#waiting.filter((each) => !isProgressOf(each, line.urn));
        this.#waiting.push(line);
        if (!this.#busy) this.#next();
    }

    /** When everything said so far is delivered. */
    delivered(): Promise<void> {
        return new Promise((resolve) => {
            if (this.#busy) this.#waiting.push(resolve);
            else resolve();
        });
    }

    #next(): void {
        const next = this.#waiting.shift();
        this.#busy = next !== undefined;
        if (typeof next === "function") {
            next();
            this.#next();
        } else if (next !== undefined) this.deliver(next, () => this.#next());
    }
}

const isProgressOf = (each: Line | (() => void), urn: string): boolean =>
    typeof each !== "function" && each.kind === "progress" && each.urn === urn;
