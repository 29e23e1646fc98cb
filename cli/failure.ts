import { nearestName } from "../provider/mesh/args/schema";
import type { Fix } from "../provider/values/fix";

/** Something to fix before any cluster is contacted: wrong flags, a wrong mesh file. Exit code 1. */
export class UsageError extends Error {
    override readonly name = "UsageError";
    constructor(
        message: string,
        /** What to do next. */
        readonly hint?: Fix,
    ) {
        super(message);
    }
}

/** What was given is not one of the known names: tells the nearest, or all of them. */
export function noSuch(message: string, given: string, known: readonly string[]): UsageError {
    const close = nearestName(given, known);
    return new UsageError(message, close === undefined ? `Use one of ${known.join(", ")}` : `Did you mean ${close}?`);
}
