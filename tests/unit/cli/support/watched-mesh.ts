import { setTimeout as sleep } from "node:timers/promises";
import { readStack } from "../../../../cli/stack/read-stack";
import type { RunEnd } from "../../../../cli/watch/runner";
import { startWatcher, type WatchedMesh, type Watcher } from "../../../../cli/watch/watcher";
import { type Clock, systemClock } from "../../../../provider/kube/http/clock";
import { nodeSpecs } from "../../../../tools/clusters/node-spec";
import { type DoubleMember, startDoubleWorld } from "../../../support/engine/double-world";
import type { MeshWorld } from "../../../support/engine/mesh-world";
import type { MiniEngine, Program } from "../../../support/engine/mini-engine";
import { exported } from "./exported-stack";

/** A mesh of three clusters on API doubles, in step with its nodes, and watchers of it whose runs are those of an engine. */
export interface WatchedDoubles {
    readonly world: MeshWorld<DoubleMember>;
    readonly engine: MiniEngine;
    program: Program;
    watch(options?: Partial<WatchOptions>): Watched;
    close(): Promise<void>;
}

interface WatchOptions {
    /** `stack`: with a state at hand. */
    readonly from: "stack" | "file";
    readonly once: boolean;
    readonly clock: Clock;
    /** Instead of an `up`. */
    readonly run: () => Promise<RunEnd>;
    readonly reread: () => Promise<WatchedMesh>;
    readonly longestPauseSeconds: number;
    readonly probeSeconds: number;
}

export interface Watched {
    readonly watcher: Watcher;
    readonly lines: readonly string[];
    /** How many runs have begun. */
    runs(): number;
    /** Waits until it has logged this, so many times. */
    says(pattern: RegExp, times?: number): Promise<void>;
}

const NAMES = ["hub", "berlin", "tokyo"];
const TIMING = { quiet: 20, quietMax: 200, every: 3_600_000, retry: 50, retryMax: 500 };

export async function startWatchedDoubles(): Promise<WatchedDoubles> {
    const world = await startDoubleWorld(NAMES);
    for (const member of world.clusters) await Promise.all(nodeSpecs(member, 2).map((spec) => member.putNode(spec)));
    const engine = world.engine();
    const watchers: Watcher[] = [];
    const all: WatchedDoubles = {
        world,
        engine,
        program: world.program({ requestTimeout: 1 }),
        watch({
            from = "stack",
            once = false,
            clock = systemClock,
            run,
            reread,
            longestPauseSeconds = 0.2,
            probeSeconds = 0.3,
        } = {}) {
            const lines: string[] = [];
            const read = (): WatchedMesh =>
                from === "stack"
                    ? readStack(exported(engine, all.program), { stack: "test", directory: "/" })
                    : { mesh: all.program };
            const up = async (): Promise<RunEnd> => {
                const { failures } = await engine.up(all.program);
                return { isOk: failures.length === 0, how: `exit code ${failures.length}`, lines: failures };
            };
            let started = 0;
            const watcher = startWatcher({
                first: read(),
                ...(from === "stack" ? { reread: reread ?? (async () => read()) } : {}),
                runner: () => ({
                    title: "up",
                    start: () => {
                        started++;
                        return { done: (run ?? up)(), interrupt: () => undefined };
                    },
                }),
                timing: TIMING,
                memberTiming: { probeSeconds, longestPauseSeconds, follow: { pauseSeconds: 0.02 } },
                once,
                requestTimeoutSeconds: () => 1,
                clock,
                log: (line) => lines.push(line),
            });
            watchers.push(watcher);
            return {
                watcher,
                lines,
                runs: () => started,
                async says(pattern, times = 1) {
                    await eventually(
                        () => lines.filter((line) => pattern.test(line)).length >= times,
                        () => lines.join("\n"),
                    );
                },
            };
        },
        async close() {
            for (const watcher of watchers) watcher.stop();
            await Promise.allSettled(watchers.map(({ done }) => done));
            await world.close();
        },
    };
    return all;
}

export async function eventually(
    holds: () => boolean | Promise<boolean>,
    explain: () => string = () => "",
): Promise<void> {
    for (const limit = Date.now() + 30_000; Date.now() < limit; await sleep(10)) if (await holds()) return;
    throw new Error(`it did not happen: ${explain()}`);
}

/** Minutes pass in seconds. */
export const quick = (factor: number): Clock => {
    const start = Date.now();
    return {
        ...systemClock,
        now: () => start + (Date.now() - start) * factor,
        sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / factor, signal),
    };
};
