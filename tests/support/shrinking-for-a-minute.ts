const SHRINKING_MS = 60_000;

/**
 * All that are drawn are tried, however slow the machine is; but once one has failed, ever smaller ones are tried for a
 * minute only, so that the smallest by then is told instead of a test that took too long.
 */
export function shrinkingForAMinute<T>(attempt: (drawn: T) => Promise<void>): (drawn: T) => Promise<void> {
    let end = Number.POSITIVE_INFINITY;
    return async (drawn) => {
        if (performance.now() > end) return;
        try {
            await attempt(drawn);
        } catch (error) {
            end = Math.min(end, performance.now() + SHRINKING_MS);
            throw error;
        }
    };
}
