import {
    advance,
    nextStep,
    type Schedule,
    type ScheduleEvent,
    startSchedule,
    type Timing,
} from "../../../cli/watch/schedule";
import fc from "../../support/chance";

const TIMING: Timing = { quiet: 1_000, quietMax: 10_000, every: 600_000, retry: 2_000, retryMax: 300_000 };

/** What happens outside, and how long after what happened before. */
type Outside =
    | { readonly kind: "change"; readonly after: number }
    /** A change that the plan does not care about. */
    | { readonly kind: "irrelevant"; readonly after: number };

const outside = fc.array(
    fc.record({ kind: fc.constantFrom("change", "irrelevant"), after: fc.integer({ min: 1, max: 30_000 }) }),
    { maxLength: 40 },
) as fc.Arbitrary<Outside[]>;

/** How long each run takes, and whether it does what it should. */
const runs = fc.array(fc.record({ takes: fc.integer({ min: 1, max: 20_000 }), isOk: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
});

interface Happened {
    readonly changes: readonly number[];
    readonly starts: readonly number[];
    readonly ends: readonly number[];
    readonly most: number;
    readonly end: number;
}

/** Plays the machine against a world in which a run takes in what changed before it began. */
function play(
    script: readonly Outside[],
    lengths: readonly { takes: number; isOk: boolean }[],
    timing = TIMING,
): Happened {
    let now = 0;
    let schedule: Schedule = startSchedule(now, false, timing);
    const on = (event: ScheduleEvent): void => {
        schedule = advance(schedule, event, timing);
    };
    const changes: number[] = [];
    const starts: number[] = [];
    const ends: number[] = [];
    let open = 0;
    let most = 0;
    let openChanges: number[] = [];
    let running: { readonly until: number; readonly isOk: boolean; readonly takenIn: readonly number[] } | undefined;
    let events = script.map((each) => ({ ...each }));
    let nextEvent = events[0]?.after ?? Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5_000; round++) {
        const step = nextStep(schedule, timing);
        const due = step.do === "wait" ? Number.POSITIVE_INFINITY : Math.max(step.at, now);
        const next = Math.min(due, nextEvent, running?.until ?? Number.POSITIVE_INFINITY);
        const isOver = nextEvent === Number.POSITIVE_INFINITY && running === undefined && openChanges.length === 0;
        if (isOver && (schedule.pending === undefined || next > now + timing.every)) break;
        now = next;
        if (next === nextEvent) {
            const [event, ...rest] = events;
            events = rest;
            nextEvent = rest[0] === undefined ? Number.POSITIVE_INFINITY : now + rest[0].after;
            if (event?.kind === "change") {
                changes.push(now);
                openChanges.push(now);
            }
            on({ kind: "changed", at: now });
        } else if (running !== undefined && next === running.until) {
            const { isOk, takenIn } = running;
            if (isOk) openChanges = openChanges.filter((each) => !takenIn.includes(each));
            ends.push(now);
            open--;
            running = undefined;
            on({ kind: "ended", at: now, isDone: isOk, chance: 0.5 });
        } else {
            on({ kind: "checking" });
            const differs = step.do === "run" || openChanges.length > 0;
            on({ kind: "checked", differs });
            if (!differs) continue;
            // the fourth failure in a row is the last: a world that never works would never end
            const length = lengths[starts.length % lengths.length]!;
            const isOk = length.isOk || schedule.failures >= 3;
            starts.push(now);
            open++;
            most = Math.max(most, open);
            running = { until: now + length.takes, isOk, takenIn: [...openChanges] };
        }
    }
    return { changes, starts, ends, most, end: now };
}

test("there are never two runs at once", () => {
    fc.assert(
        fc.property(outside, runs, (script, lengths) => {
            expect(play(script, lengths).most).toBeLessThanOrEqual(1);
        }),
    );
});

test("every change is followed by a run that began after it", () => {
    fc.assert(
        fc.property(outside, runs, (script, lengths) => {
            const { changes, starts } = play(script, lengths);
            for (const change of changes) expect(starts.some((start) => start >= change)).toBe(true);
        }),
    );
});

test("changes that the plan does not care about start no run", () => {
    fc.assert(
        fc.property(outside, runs, (script, lengths) => {
            const { starts, end } = play(
                script.map((each) => ({ ...each, kind: "irrelevant" as const })),
                lengths,
            );
            // but for those that begin in any case
            expect(starts.length).toBeLessThanOrEqual(Math.ceil(end / TIMING.every) * 4);
            expect(starts.every((start) => start >= TIMING.every)).toBe(true);
        }),
    );
});

test("a change waits no longer than the quiet time allows, while nothing runs and nothing failed", () => {
    fc.assert(
        fc.property(outside, (script) => {
            const { changes, starts, ends } = play(script, [{ takes: 1, isOk: true }]);
            for (const change of changes) {
                const start = starts.find((each) => each >= change)!;
                const end = ends.filter((each) => each <= start).at(-1) ?? 0;
                expect(start - Math.max(change, end)).toBeLessThanOrEqual(TIMING.quietMax);
            }
        }),
    );
});

test("a run that fails is tried again, later each time and never later than the longest wait", () => {
    let schedule = startSchedule(0, true, TIMING);
    const waits: number[] = [];
    let now = 0;
    for (let failure = 0; failure < 12; failure++) {
        const step = nextStep(schedule, TIMING);
        if (step.do === "wait") throw new Error("nothing is to be done");
        now = step.at;
        schedule = advance(schedule, { kind: "checking" }, TIMING);
        schedule = advance(schedule, { kind: "checked", differs: true }, TIMING);
        schedule = advance(schedule, { kind: "ended", at: now, isDone: false, chance: 1 }, TIMING);
        waits.push(schedule.retryAt - now);
    }
    expect(waits.slice(0, 4)).toEqual([2_000, 4_000, 8_000, 16_000]);
    expect(Math.max(...waits)).toBe(TIMING.retryMax);
});

test("nothing begins once it is to stop", () => {
    const stopping = advance(startSchedule(0, true, TIMING), { kind: "stop" }, TIMING);
    const later = advance(stopping, { kind: "changed", at: 5 }, TIMING);
    expect(nextStep(later, TIMING)).toEqual({ do: "wait" });
});
