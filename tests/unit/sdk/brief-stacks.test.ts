import { withBriefStacks } from "../../../sdk/nodejs/unpublished/brief-stacks";

const LEAKS = "PULUMI_DEBUG_PROMISE_LEAKS";
const before = { leaks: process.env[LEAKS], limit: Error.stackTraceLimit };

afterEach(() => {
    if (before.leaks === undefined) delete process.env[LEAKS];
    else process.env[LEAKS] = before.leaks;
    Error.stackTraceLimit = before.limit;
});

const framesOf = (error: unknown): string[] =>
    String((error as Error).stack)
        .split("\n    at ")
        .slice(1);

test("stacks are brief while children are registered, and as long as ever afterwards", () => {
    Error.stackTraceLimit = 7;
    expect(framesOf(withBriefStacks(() => new Error("within")))).toHaveLength(2);
    expect(Error.stackTraceLimit).toBe(7);
    expect(framesOf(new Error("after")).length).toBeGreaterThan(2);
});

test("an error of a transformation still says where it was thrown", () => {
    const transformation = (): never => {
        throw new Error("mine");
    };
    let thrown: unknown;
    try {
        withBriefStacks(transformation);
    } catch (error) {
        thrown = error;
    }
    expect(framesOf(thrown)[0]).toContain("transformation");
    expect(Error.stackTraceLimit).toBe(before.limit);
});

test("who looks for leaking promises gets whole stacks, and who wants none gets none", () => {
    process.env[LEAKS] = "true";
    expect(framesOf(withBriefStacks(() => new Error("within"))).length).toBeGreaterThan(2);
    delete process.env[LEAKS];
    Error.stackTraceLimit = 0;
    expect(framesOf(withBriefStacks(() => new Error("within")))).toHaveLength(0);
});
