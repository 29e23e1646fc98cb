/** Enough to find where a transformation of the user's throws. */
const FRAMES = 2;

/**
 * The SDK keeps four stacks for every property of a resource, each mapped back to its sources, only to name promises that
 * leak. For the two resources of a cluster that takes a tenth of a second, and in a mesh of ten it was what a run took longest for.
 */
export function withBriefStacks<T>(register: () => T): T {
    if (process.env.PULUMI_DEBUG_PROMISE_LEAKS) return register();
    const usual = Error.stackTraceLimit;
    Error.stackTraceLimit = Math.min(usual, FRAMES);
    try {
        return register();
    } finally {
        Error.stackTraceLimit = usual;
    }
}
