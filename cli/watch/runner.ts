/** How a run ended. */
export interface RunEnd {
    readonly isOk: boolean;
    /** In a few words, for instance an exit code. */
    readonly how: string;
    /** The last lines that it printed, without secrets. */
    readonly lines: readonly string[];
}

/** A run under way. */
export interface Running {
    readonly done: Promise<RunEnd>;
    /** Asks it to finish, as ^C does; called at most once. */
    interrupt(): void;
}

/** What brings the mesh up to date. */
export interface Runner {
    readonly title: string;
    start(): Running;
}
