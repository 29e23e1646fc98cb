import { KubeError, type KubeErrorKind, type NetworkFailure } from "../../../provider/kube/errors/kube-error";
import type { Clock } from "../../../provider/kube/http/clock";
import { briefRetries, persistentRetries, retryAfterSeconds, withRetry } from "../../../provider/kube/http/retry";

/** Time passes only in `sleep` and in attempts that take some. */
function fakeClock(random = 1): Clock & { slept: number[]; pass(milliseconds: number): void } {
    let now = 0;
    const slept: number[] = [];
    return {
        slept,
        now: () => now,
        random: () => random,
        pass: (milliseconds) => {
            now += milliseconds;
        },
        sleep: async (milliseconds) => {
            slept.push(milliseconds);
            now += milliseconds;
        },
    };
}

interface Failure {
    readonly network?: NetworkFailure;
    readonly retryAfterSeconds?: number;
    readonly retryable?: boolean;
}
const failed = (kind: KubeErrorKind, more: Failure = {}): KubeError =>
    new KubeError({ kind, cluster: "edge", message: kind, fix: "Run again", retryable: true, ...more });

/** How often an attempt that always fails is made. */
async function attempts(retries: ReturnType<typeof briefRetries>, error: KubeError, seconds = 0, clock = fakeClock()) {
    let tried = 0;
    await expect(
        withRetry(retries, clock, undefined, async () => {
            tried++;
            clock.pass(seconds * 1000);
            throw error;
        }),
    ).rejects.toBe(error);
    return tried;
}

test("waits double, with a random half so that writers do not come back in step", async () => {
    const clock = fakeClock(0);
    await attempts(persistentRetries(10), failed("server"), 0, clock);
    expect(clock.slept).toEqual([125, 250, 500, 1000, 2000]);
    const other = fakeClock(1);
    await attempts(persistentRetries(10), failed("server"), 0, other);
    expect(other.slept).toEqual([250, 500, 1000, 2000, 4000]);
});

test("the answer of the first attempt that succeeds is returned", async () => {
    let left = 3;
    const result = await withRetry(persistentRetries(10), fakeClock(), undefined, async () => {
        if (--left > 0) throw failed("throttled");
        return "done";
    });
    expect(result).toBe("done");
});

test("Retry-After is waited for, when it is longer than the own wait", async () => {
    const clock = fakeClock();
    await attempts(persistentRetries(10), failed("throttled", { retryAfterSeconds: 3 }), 0, clock);
    expect(clock.slept).toEqual([3000, 3000, 3000, 3000, 4000]);
});

test("a Retry-After beyond the deadline ends the attempts at once", async () => {
    expect(await attempts(persistentRetries(10), failed("throttled", { retryAfterSeconds: 3600 }))).toBe(1);
});

test("what cannot get better is not tried again", async () => {
    for (const kind of ["forbidden", "unauthorized", "invalid", "not-found", "config"] as const) {
        expect(await attempts(persistentRetries(10), failed(kind, { retryable: false }))).toBe(1);
    }
});

test("what is no KubeError is thrown as it is", async () => {
    const bug = new TypeError("bug");
    await expect(withRetry(persistentRetries(10), fakeClock(), undefined, () => Promise.reject(bug))).rejects.toBe(bug);
});

describe("looking is brief: a dead cluster costs one timeout", () => {
    test("a timeout is not tried again", async () => {
        expect(await attempts(briefRetries(10), failed("unreachable", { network: "timeout" }), 10)).toBe(1);
    });

    test("a refused connection is tried three times, within a second", async () => {
        const clock = fakeClock();
        expect(await attempts(briefRetries(10), failed("unreachable", { network: "refused" }), 0, clock)).toBe(3);
        expect(clock.now()).toBeLessThan(1000);
    });

    test("whatever fails, trying ends within the timeout", async () => {
        const clock = fakeClock();
        await attempts(briefRetries(2), failed("server"), 0.4, clock);
        expect(clock.now()).toBeLessThanOrEqual(2400);
    });
});

describe("writing is patient: an API server that restarts is waited for", () => {
    test("refused connections are tried for several seconds", async () => {
        const clock = fakeClock();
        expect(await attempts(persistentRetries(10), failed("unreachable", { network: "refused" }), 0, clock)).toBe(6);
        expect(clock.now()).toBeGreaterThan(5000);
    });

    test("a timeout is tried once more", async () => {
        expect(await attempts(persistentRetries(10), failed("unreachable", { network: "timeout" }), 10)).toBe(2);
    });
});

test("an aborted caller is not kept waiting", async () => {
    const stop = new AbortController();
    const reason = new Error("stopped");
    const work = withRetry(persistentRetries(10), fakeClock(), stop.signal, async () => {
        stop.abort(reason);
        throw failed("server");
    });
    await expect(work).rejects.toBe(reason);
});

test.each<[string | undefined, number | undefined]>([
    ["7", 7],
    [" 0 ", 0],
    ["Thu, 01 Jan 1970 00:01:40 GMT", 40],
    ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
    ["-5", undefined],
    ["1e3", undefined],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
])("Retry-After %p means %p seconds", (header, seconds) => {
    expect(retryAfterSeconds(header, 60_000)).toBe(seconds);
});
