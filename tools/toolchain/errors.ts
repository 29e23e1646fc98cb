/** A problem the reader can solve: its message says how, and is shown without a stack. */
export class ToolchainError extends Error {
    override readonly name = "ToolchainError";
}

/** Gives a full disk its own message; every other error passes unchanged. */
export function explainFullDisk(error: unknown, directory: string): unknown {
    const text = error instanceof Error ? `${(error as NodeJS.ErrnoException).code} ${error.message}` : String(error);
    if (!/ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i.test(text)) return error;
    return new ToolchainError(
        `The disk is full: ${directory} cannot take the tools.\n` +
            "  Building all of them takes about 7 GB (Go's module and build caches included), keeping them 0.4 GB.\n" +
            "  Free some space, or set KILO_CLUSTERMESH_CACHE (tools), GOCACHE and GOMODCACHE (Go) to a larger disk.",
        { cause: error },
    );
}
