import { setTimeout as sleep } from "node:timers/promises";
import { openFleet } from "../support/fleet/fleet";
import { cpuOf, memoryOf } from "../support/process-watch";
import type { Recorder } from "../support/results";
import { startWatch } from "../support/watch/watch-process";
import { meshOf, type Workplace } from "../support/workplace";

interface Size {
    readonly members: number;
    readonly nodes: number;
    /** How long it is looked at. */
    readonly seconds: number;
    /** How often each node checks in. */
    readonly every: number;
}

const FULL: Size = { members: 200, nodes: 20, seconds: 180, every: 30 };
const QUICK: Size = { members: 6, nodes: 3, seconds: 5, every: 1 };
/** After it came to rest: what only the start needed is given back meanwhile. */
const SETTLE_MS = 10_000;
const LOOK_MS = 10_000;

/** What a watcher costs while nothing happens but heartbeats. */
export async function watchIdle(workplace: Workplace, record: Recorder): Promise<void> {
    const { members, nodes, seconds, every } = workplace.quick ? QUICK : FULL;
    const fleet = await openFleet(workplace, { count: members, real: 0, delayMs: 0, isRealSize: true });
    const stack = await workplace.stack("mesh");
    try {
        await Promise.all(fleet.clusters.map((cluster) => fleet.grow(cluster, 1, nodes)));
        await stack.give("mesh.json", meshOf(fleet.clusters, { topology: { hubs: [fleet.clusters[0]!.name] } }));
        workplace.log("watch at rest: first `up`");
        await stack.run("up");
        await fleet.beat(every);
        const begun = performance.now();
        const watch = await startWatch({
            package: workplace.package,
            directory: stack.directory,
            env: stack.env,
            argv: ["--stack", stack.name],
            command: ["pulumi", ...stack.arguments("up")],
        });
        try {
            await watch.idle();
            const ready = performance.now() - begun;
            workplace.log(`watch at rest: ready after ${(ready / 1000).toFixed(1)} s, looking for ${seconds} s`);
            await sleep(workplace.quick ? 0 : SETTLE_MS);
            const cpu: number[] = [];
            const memory: number[] = [];
            await fleet.beat(every);
            for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
                const [from, used] = [performance.now(), cpuOf(watch.pid)];
                await sleep(Math.min(LOOK_MS, end - from));
                cpu.push(((cpuOf(watch.pid) - used) / (performance.now() - from)) * 100);
                memory.push(memoryOf(watch.pid).now);
            }
            const heartbeats = await fleet.beat(0);
            const facts = { members, nodes, seconds, everySeconds: every, heartbeats, runs: watch.runs.length };
            record({
                name: `${members} × ${nodes}`,
                facts,
                series: { ready: [ready], cpu, memory, peak: [memoryOf(watch.pid).peak] },
            });
        } finally {
            await watch.stop();
        }
    } finally {
        await fleet.close();
        await stack.remove();
    }
}
