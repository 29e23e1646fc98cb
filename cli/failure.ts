/** Something the user has to mend before we can look at anything: wrong flags, a wrong mesh file. Exit code 1. */
export class UsageError extends Error {
    override readonly name = "UsageError";
    constructor(
        message: string,
        /** What to do next. */
        readonly hint?: string,
    ) {
        super(message);
    }
}
