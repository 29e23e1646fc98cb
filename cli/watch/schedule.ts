/** When to look at the plan and when to run: a state machine without a clock of its own. All times are milliseconds. */
export interface Timing {
    /** How long nothing may change before a run begins. */
    readonly quiet: number;
    /** How long changes in a row can put it off. */
    readonly quietMax: number;
    /** A run begins after this time in any case. */
    readonly every: number;
    /** Before a run that failed is tried again; doubled with every failure in a row. */
    readonly retry: number;
    readonly retryMax: number;
}

export interface Schedule {
    readonly phase: "idle" | "checking" | "running" | "stopping";
    /** Changes that no run has taken in yet. */
    readonly pending?: { readonly first: number; readonly last: number };
    /** A run begins whatever the plan says. */
    readonly isForced: boolean;
    /** Failures in a row. */
    readonly failures: number;
    /** No run begins before. */
    readonly retryAt: number;
    readonly everyAt: number;
    /** Time of the oldest change that no finished run has taken in. */
    readonly behindSince?: number;
}

export type ScheduleEvent =
    | { readonly kind: "changed"; readonly at: number }
    /** The plan is being looked at: what changes from here on is not part of it. */
    | { readonly kind: "checking" }
    /** Nothing differs, or a run is to begin. */
    | { readonly kind: "checked"; readonly differs: boolean }
    /** `chance`: from 0 to 1. */
    | { readonly kind: "ended"; readonly at: number; readonly isDone: boolean; readonly chance: number }
    | { readonly kind: "stop" };

export type Step =
    | { readonly do: "check" | "run"; readonly at: number }
    /** Until something happens. */
    | { readonly do: "wait" };

export const startSchedule = (now: number, isForced: boolean, { every }: Timing): Schedule => ({
    phase: "idle",
    isForced,
    failures: 0,
    retryAt: now,
    everyAt: now + every,
});

export function advance(schedule: Schedule, event: ScheduleEvent, timing: Timing): Schedule {
    if (schedule.phase === "stopping") return schedule;
    switch (event.kind) {
        case "changed": {
            const pending = { first: schedule.pending?.first ?? event.at, last: event.at };
            return { ...schedule, pending, behindSince: schedule.behindSince ?? event.at };
        }
        case "checking": {
            const { pending: _, ...rest } = schedule;
            return { ...rest, phase: "checking" };
        }
        case "checked":
            if (event.differs) return { ...schedule, phase: "running", isForced: false };
            return behindOnlyBy({ ...schedule, phase: "idle" });
        case "ended":
            return ended(schedule, event, timing);
        case "stop":
            return { ...schedule, phase: "stopping" };
    }
}

function ended(
    schedule: Schedule,
    { at, isDone, chance }: Extract<ScheduleEvent, { kind: "ended" }>,
    { every, retry, retryMax }: Timing,
): Schedule {
    const everyAt = at + every;
    if (isDone) return behindOnlyBy({ ...schedule, phase: "idle", failures: 0, retryAt: at, everyAt });
    const failures = schedule.failures + 1;
    const wait = Math.min(retryMax, retry * 2 ** Math.min(failures - 1, 20)) * (0.5 + chance / 2);
    return {
        ...schedule,
        phase: "idle",
        failures,
        retryAt: at + wait,
        everyAt,
        pending: { first: schedule.pending?.first ?? at, last: schedule.pending?.last ?? at },
        behindSince: schedule.behindSince ?? at,
    };
}

function behindOnlyBy({ behindSince: _, ...schedule }: Schedule): Schedule {
    return schedule.pending === undefined ? schedule : { ...schedule, behindSince: schedule.pending.first };
}

/** What is to be done next, and when. */
export function nextStep({ phase, pending, isForced, retryAt, everyAt }: Schedule, { quiet, quietMax }: Timing): Step {
    if (phase !== "idle") return { do: "wait" };
    if (isForced) return { do: "run", at: retryAt };
    if (pending === undefined) return { do: "run", at: Math.max(everyAt, retryAt) };
    const due = Math.max(Math.min(pending.last + quiet, pending.first + quietMax), retryAt);
    return everyAt < due ? { do: "run", at: Math.max(everyAt, retryAt) } : { do: "check", at: due };
}
