/** Something to fix before any cluster is contacted: wrong flags, a wrong mesh file. Exit code 1. */
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
