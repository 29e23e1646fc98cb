import { withBriefStacks } from "../../../sdk/nodejs/unpublished/brief-stacks";

const LEAKS = "PULUMI_DEBUG_PROMISE_LEAKS";
const before = { leaks: process.env[LEAKS], prepare: Error.prepareStackTrace };

afterEach(() => {
    if (before.leaks === undefined) delete process.env[LEAKS];
    else process.env[LEAKS] = before.leaks;
    Error.prepareStackTrace = before.prepare;
});

const framesOf = (stack: string | undefined): string[] => String(stack).split("\n    at ").slice(1);

/** Named as what the SDK has. */
const debuggablePromise = (): string | undefined => new Error().stack;
const callsites = (): string | undefined => new Error().stack;

test("the stack that is recorded with a resource is left out for our children, and for nobody else", () => {
    expect(framesOf(withBriefStacks(callsites))).toEqual([]);
    expect(framesOf(callsites())[0]).toContain("callsites");
});

test("promises of the SDK are not given stacks once a child was registered, also those made later on", async () => {
    expect(framesOf(debuggablePromise()).length).toBeGreaterThan(2);
    withBriefStacks(() => undefined);
    await Promise.resolve();
    expect(framesOf(debuggablePromise())).toEqual([]);
});

test("an error of a transformation keeps its whole stack", () => {
    const transformation = (): never => {
        throw new Error("mine");
    };
    let thrown: unknown;
    try {
        withBriefStacks(transformation);
    } catch (error) {
        thrown = error;
    }
    const frames = framesOf((thrown as Error).stack);
    expect(frames[0]).toContain("transformation");
    expect(frames.length).toBeGreaterThan(2);
});

test("a rendering that somebody has set, before or after us, renders everything else", () => {
    Error.prepareStackTrace = (error) => `first ${error.message}`;
    withBriefStacks(() => undefined);
    expect(new Error("a").stack).toBe("first a");
    Error.prepareStackTrace = (error) => `second ${error.message}`;
    withBriefStacks(() => undefined);
    expect(new Error("b").stack).toBe("second b");
    expect(debuggablePromise()).toBe("Error");
});

test("without a rendering of somebody's a stack is what it always was", () => {
    Error.prepareStackTrace = undefined as unknown as typeof Error.prepareStackTrace;
    const make = (): Error => new TypeError("bad");
    withBriefStacks(() => undefined);
    const [first, second] = make().stack?.split("\n") ?? [];
    expect(first).toBe("TypeError: bad");
    expect(second).toMatch(/^ {4}at make \(.*brief-stacks\.test\.ts:\d+:\d+\)$/);
});

test("who looks for leaking promises gets whole stacks", () => {
    process.env[LEAKS] = "true";
    expect(framesOf(withBriefStacks(callsites)).length).toBeGreaterThan(2);
    expect(framesOf(withBriefStacks(debuggablePromise)).length).toBeGreaterThan(2);
});
