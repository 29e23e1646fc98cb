import { OUTCOMES, type Outcome } from "../watch/state";
import type { MeshCounts } from "./mesh-counts";
import { WATCH_METRICS } from "./names";
import { meshGauges, promClient } from "./prometheus";

/** A watcher at one moment. */
export interface WatchCounts extends MeshCounts {
    readonly secondsBehind: number;
    readonly isRunning: boolean;
    /** Unix seconds; absent before the first. */
    readonly lastSuccess?: number;
}

export interface WatchMetrics {
    readonly contentType: string;
    /** Counts a run that has ended. */
    onRun(outcome: Outcome, seconds: number): void;
    text(): Promise<string>;
}

/** From a run that only asks an operator to one that writes thousands of peers. */
const BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800];

/** The metrics of a watcher; `counts` is asked whenever somebody reads them. */
export function watchMetrics(mesh: string, counts: () => WatchCounts): WatchMetrics {
    const { Counter, Gauge, Histogram, Registry } = promClient();
    const registry = new Registry();
    const registers = [registry];
    const setMesh = meshGauges(registry);
    const { behind, isRunning, runs, runDuration, lastSuccess } = WATCH_METRICS;
    const gauge = ({ name, help, labels }: (typeof WATCH_METRICS)[keyof typeof WATCH_METRICS]) =>
        new Gauge({ name, help, labelNames: labels, registers });
    const gauges = { behind: gauge(behind), isRunning: gauge(isRunning), lastSuccess: gauge(lastSuccess) };
    const ended = new Counter({ name: runs.name, help: runs.help, labelNames: runs.labels, registers });
    const durations = new Histogram({
        name: runDuration.name,
        help: runDuration.help,
        labelNames: runDuration.labels,
        buckets: BUCKETS,
        registers,
    });
    // A series that begins at 0 shows its first increase; one that begins at 1 does not.
    for (const outcome of OUTCOMES) {
        ended.inc({ mesh, outcome }, 0);
        durations.zero({ mesh, outcome });
    }
    return {
        contentType: registry.contentType,
        onRun(outcome, seconds) {
            ended.inc({ mesh, outcome });
            durations.observe({ mesh, outcome }, seconds);
        },
        text() {
            const now = counts();
            const labels = { mesh: now.mesh };
            setMesh(now);
            gauges.behind.set(labels, now.secondsBehind);
            gauges.isRunning.set(labels, now.isRunning ? 1 : 0);
            if (now.lastSuccess !== undefined) gauges.lastSuccess.set(labels, now.lastSuccess);
            return registry.metrics();
        },
    };
}
