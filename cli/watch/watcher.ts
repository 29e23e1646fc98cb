import type { ClusterAccess } from "../../provider/kube/auth/access";
import type { Clock } from "../../provider/kube/http/clock";
import type { MeshSpec } from "../../provider/mesh/types";
import { count } from "../../provider/values/show";
import type { Assessment } from "../assess";
import { EXIT } from "../exit-codes";
import type { StackRecord } from "../stack/read-stack";
import { openBaseline } from "./baseline";
import { differences, openEvaluator } from "./evaluate";
import type { MemberTiming } from "./member-watch";
import { openMembers } from "./members";
import type { RunEnd, Runner, Running } from "./runner";
import { advance, nextStep, type Schedule, type ScheduleEvent, startSchedule, type Timing } from "./schedule";
import type { MemberState, Outcome, WatchState } from "./state";
import { openTally } from "./tally";

export interface WatchedMesh {
    readonly mesh: MeshSpec;
    /** Absent where there is no state at hand. */
    readonly record?: StackRecord;
}

export interface WatcherOptions {
    readonly first: WatchedMesh;
    /** Reads the mesh again, after a run and where credentials are refused; absent for a file. */
    readonly reread?: () => Promise<WatchedMesh>;
    readonly runner: (accessOf: (cluster: string) => Promise<ClusterAccess>) => Runner;
    readonly timing: Timing;
    readonly memberTiming?: MemberTiming;
    readonly once: boolean;
    readonly requestTimeoutSeconds: (mesh: MeshSpec) => number;
    readonly clock: Clock;
    /** Called with every run that has ended. */
    readonly onRun?: (outcome: Outcome, seconds: number) => void;
    log(line: string): void;
}

export interface Watcher {
    state(): WatchState;
    /** The exit code. */
    readonly done: Promise<number>;
    /** Ends it; a run under way is asked once to finish, and waited for. */
    stop(): void;
}

/** Missing annotations count only if they are still missing after this time: a restart of Kilo removes them for a moment. */
const SETTLE_MILLISECONDS = 5_000;
/** Between two looks at a state for newer credentials. */
const REREAD_MILLISECONDS = 60_000;
/** How long what a run wrote may take to be heard of. */
const ECHO_MILLISECONDS = 2_000;
const ONCE_FAILURES = 3;
/** Peers follow a node that has become stale at most so much later. */
const TICK_MILLISECONDS = 250;

export function startWatcher(options: WatcherOptions): Watcher {
    const { clock, timing, log, once } = options;
    let { mesh, record } = options.first;
    let schedule: Schedule = startSchedule(clock.now(), record === undefined, timing);
    let wake: () => void = () => undefined;
    let running: Running | undefined;
    let unsettledSince: number | undefined;
    let settling: Promise<void> | undefined;
    let lastReread = clock.now();
    let rereading: Promise<void> = Promise.resolve();
    let defect: { readonly error: unknown } | undefined;
    let isFailing = false;
    const sleepers = new AbortController();
    const baseline = openBaseline(mesh.mesh);
    const evaluator = openEvaluator(clock, options.requestTimeoutSeconds);
    const tally = openTally();

    const on = (event: ScheduleEvent): void => {
        schedule = advance(schedule, event, timing);
        wake();
    };
    const changed = (): void => on({ kind: "changed", at: clock.now() });
    const members = openMembers({
        requestTimeoutSeconds: options.requestTimeoutSeconds,
        clock,
        ...(options.memberTiming === undefined ? {} : { timing: options.memberTiming }),
        onChange: changed,
        onState: (name, { state }, failure) => {
            if (failure !== undefined) log(`${name} is ${state}: ${failure.message}. ${failure.fix}`);
            else if (state === "seen") log(`${name} is seen`);
            wake();
        },
        onUnwatchable: (name, message, fix) => log(`${name} is listed every half minute: ${message}. ${fix}`),
        onDefect: (error) => {
            defect = { error };
            on({ kind: "stop" });
        },
    });
    const runner = options.runner(members.accessOf);

    const evaluate = async (): Promise<Assessment> => {
        const assessment = await evaluator.evaluate(mesh, record, members.views);
        tally.assess(assessment);
        return assessment;
    };
    /** One after the other: what was read earlier never replaces what was read later. */
    const reread = (): Promise<void> => {
        const { reread: read } = options;
        if (read === undefined) return rereading;
        lastReread = clock.now();
        rereading = rereading.then(read).then(
            (found) => {
                if (isStopping()) return;
                ({ mesh, record } = found);
                members.follow(mesh);
            },
            (error: Error) => log(`${error.message}; what was read before still counts`),
        );
        return rereading;
    };
    const tick = (): void => {
        members.tick();
        const isDue = running === undefined && clock.now() - lastReread >= REREAD_MILLISECONDS;
        if (isDue && states().includes("unusable")) void reread();
    };

    const states = (): readonly MemberState[] => [...members.views.values()].map(({ state }) => state);
    const isReady = (): boolean => !states().includes("waiting");
    const isStopping = (): boolean => schedule.phase === "stopping";

    /** Whether a run is needed. */
    const check = async (): Promise<readonly string[] | undefined> => {
        const assessment = await evaluate();
        if (assessment.plan.unsettled.length > 0) {
            unsettledSince ??= clock.now();
            const left = unsettledSince + SETTLE_MILLISECONDS - clock.now();
            if (left > 0) {
                settling ??= clock.sleep(left, sleepers.signal).then(() => {
                    settling = undefined;
                    changed();
                });
                return undefined;
            }
        } else unsettledSince = undefined;
        const found = differences(assessment);
        const differs = record === undefined ? baseline.differs(members.views) || isFailing : found.length > 0;
        return differs ? found : undefined;
    };

    const begin = (found: readonly string[]): void => {
        baseline.begin(members.views);
        const at = clock.now();
        log(`run: ${runner.title}${found.length === 0 ? "" : ` (${describe(found)})`}`);
        const current = runner.start();
        running = current;
        void current.done.then((end) => conclude(end, found, at)).catch(onDefect);
    };
    const onDefect = (error: unknown): void => {
        defect = { error };
        running = undefined;
        on({ kind: "stop" });
    };

    /** What of this differs still, once the members have said so. */
    const leftOf = async (found: readonly string[]): Promise<readonly string[]> => {
        const left = async (): Promise<readonly string[]> => {
            const now = new Set(differences(await evaluate()));
            return found.filter((each) => now.has(each));
        };
        for (const start = clock.now(); clock.now() - start < ECHO_MILLISECONDS && !isStopping(); ) {
            if ((await left()).length === 0) return [];
            await clock.sleep(ECHO_MILLISECONDS / 4, sleepers.signal);
        }
        // a stream that is still open does not say that the credentials have expired, or that its events are late
        if (!isStopping()) await members.again();
        return left();
    };
    const conclude = async (end: RunEnd, found: readonly string[], began: number): Promise<void> => {
        const seconds = (clock.now() - began) / 1000;
        if (isStopping()) {
            log(`the run has ended: ${end.how}`);
            running = undefined;
            return wake();
        }
        await reread();
        // of a member whose credentials the run renewed nothing is known until it is heard of again
        while (!isReady() && !isStopping()) await clock.sleep(ECHO_MILLISECONDS / 4, sleepers.signal);
        // without a state the plan is a guess: what a run without a failure left as it is, it had a reason to
        const left = record === undefined && end.isOk ? [] : await leftOf(found);
        const isExcused = !states().every((state) => state === "seen") || (record !== undefined && found.length > 0);
        const outcome: Outcome = left.length > 0 ? "failed" : end.isOk ? "succeeded" : isExcused ? "partial" : "failed";
        baseline.end(members.views);
        isFailing = outcome === "failed";
        tally.run(outcome, seconds, clock.now());
        options.onRun?.(outcome, seconds);
        running = undefined;
        on({ kind: "ended", at: clock.now(), isDone: !isFailing, chance: clock.random() });
        changed();
        log(`the run ${SAID[outcome]} after ${seconds.toFixed(1)} s (${end.how})${again(outcome, left)}`);
        if (!end.isOk) for (const line of end.lines) log(`  | ${line}`);
    };
    const again = (outcome: Outcome, left: readonly string[]): string =>
        outcome === "failed" && !isStopping()
            ? `${left.length === 0 ? "" : `; ${describe(left)}`}; it is tried again in ${Math.max(0, (schedule.retryAt - clock.now()) / 1000).toFixed(0)} s`
            : "";

    const onceCode = (): number | undefined => {
        if (!once || schedule.phase !== "idle" || settling !== undefined) return undefined;
        if (schedule.failures >= ONCE_FAILURES) return EXIT.degraded;
        if (schedule.pending !== undefined || schedule.isForced) return undefined;
        return states().every((state) => state === "seen") ? EXIT.healthy : EXIT.degraded;
    };

    const loop = async (): Promise<number> => {
        const ticker = setInterval(tick, TICK_MILLISECONDS);
        try {
            members.follow(mesh);
            changed();
            for (;;) {
                const woken = new Promise<void>((resolve) => {
                    wake = resolve;
                });
                if (isStopping()) {
                    if (running === undefined) break;
                    await woken;
                    continue;
                }
                const code = onceCode();
                if (code !== undefined) return code;
                const step = nextStep(schedule, timing);
                if (step.do === "wait" || !isReady()) await woken;
                else if (step.at > clock.now()) await until(step.at, woken);
                else {
                    on({ kind: "checking" });
                    const found = step.do === "run" ? differences(await evaluate()) : await check();
                    if (found === undefined) on({ kind: "checked", differs: false });
                    else {
                        on({ kind: "checked", differs: true });
                        if (isRunning()) begin(found);
                    }
                }
            }
            if (defect !== undefined) throw defect.error;
            return EXIT.healthy;
        } finally {
            clearInterval(ticker);
            sleepers.abort();
            await members.stop();
        }
    };
    /** Asked after a wait: it may have been told to stop meanwhile. */
    const isRunning = (): boolean => schedule.phase === "running";
    const until = async (at: number, woken: Promise<void>): Promise<void> => {
        const stop = new AbortController();
        await Promise.race([woken, clock.sleep(Math.max(1, at - clock.now()), stop.signal)]);
        stop.abort();
    };

    return {
        done: loop(),
        state: () =>
            tally.state({
                mesh,
                views: members.views,
                isReady: isReady(),
                isRunning: running !== undefined,
                secondsBehind:
                    schedule.behindSince === undefined ? 0 : Math.max(0, (clock.now() - schedule.behindSince) / 1000),
            }),
        stop: () => {
            if (isStopping()) return;
            log(running === undefined ? "stopping" : "stopping: the run under way is asked to finish");
            on({ kind: "stop" });
            running?.interrupt();
        },
    };
}

const SAID: Readonly<Record<Outcome, string>> = {
    succeeded: "succeeded",
    partial: "failed, but nothing is left that it could do",
    failed: "failed",
};

/** `2 peers differ: hub/edge--berlin--n1 missing, …` */
const describe = (found: readonly string[]): string =>
    `${count(found.length, "peer")} to write or delete: ${found.slice(0, 3).join(", ")}${found.length > 3 ? ", …" : ""}`;
