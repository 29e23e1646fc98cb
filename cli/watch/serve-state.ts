import type { ListenAddress } from "../metrics/listen-address";
import { type MetricsServer, serve } from "../metrics/serve";
import { type WatchMetrics, watchMetrics } from "../metrics/watch-metrics";
import type { WatchState } from "./state";

export interface ServedState {
    readonly server: MetricsServer;
    readonly metrics: WatchMetrics;
    /** Before this nothing was heard of any member. */
    show(state: () => WatchState): void;
}

/** Metrics and health of a watcher; an address that cannot be had is told before anything is watched. */
export async function serveState(listen: ListenAddress, mesh: string): Promise<ServedState> {
    let state = (): WatchState => ({
        mesh,
        members: [],
        targets: [],
        tunnels: { seen: 0, total: 0 },
        secondsBehind: 0,
        isRunning: false,
        runs: { succeeded: NONE, partial: NONE, failed: NONE },
        isReady: false,
    });
    const metrics = watchMetrics(mesh, () => state());
    const waitingFor = (): readonly string[] => {
        const { isReady, members } = state();
        if (isReady) return [];
        const waiting = members.filter((member) => member.state === "waiting").map(({ name }) => name);
        return waiting.length === 0 ? ["any member"] : waiting;
    };
    return {
        server: await serve({ listen, metrics, waitingFor }),
        metrics,
        show(next) {
            state = next;
        },
    };
}

const NONE = { count: 0, seconds: 0 };
