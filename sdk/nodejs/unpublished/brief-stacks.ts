type Prepare = (error: Error, frames: NodeJS.CallSite[]) => unknown;

/**
 * Functions of the SDK that render a stack: one for each of thousands of promises, to name those that leak, and one for
 * each resource, which the engine records. Mapped back to sources, they were a fifth of what a program with 50 clusters computed.
 */
const OF_PROMISES = "debuggablePromise";
const OF_RESOURCES = "callsites";

/** From Node 20.7 on. */
const SURROUNDINGS: { readonly sourceMapsEnabled?: boolean } = process;

let isRegistering = false;
let ours: Prepare | undefined;

/**
 * Registers one of our children without a stack in the state: it would name lines of this package only, in 1.7 kB for each.
 * From then on promises of the SDK have none either. Every other error keeps its stack.
 */
export function withBriefStacks<T>(register: () => T): T {
    // Node maps stacks to sources itself only as long as nobody else renders them
    if (process.env.PULUMI_DEBUG_PROMISE_LEAKS || SURROUNDINGS.sourceMapsEnabled) return register();
    install();
    isRegistering = true;
    try {
        return register();
    } finally {
        isRegistering = false;
    }
}

/** Somebody may have set another rendering since the last time: it is asked for everything that is not ours. */
function install(): void {
    const usual = Error.prepareStackTrace;
    if (ours !== undefined && usual === ours) return;
    ours = (error, frames) => {
        const top = frames[0]?.getFunctionName();
        const isBrief = top === OF_PROMISES || (isRegistering && top === OF_RESOURCES);
        return isBrief ? String(error) : (usual ?? asEver)(error, frames);
    };
    Error.prepareStackTrace = ours;
}

/** As V8 does without a rendering of somebody's. */
const asEver: Prepare = (error, frames) => [String(error), ...frames.map((frame) => `    at ${frame}`)].join("\n");
