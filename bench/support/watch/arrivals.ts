import type { WatchedEvent } from "../../../tests/support/peer-invariants";
import { watchPeers } from "../../../tests/support/watch-peers";
import type { LocalCluster } from "../../../tools/clusters";

/** Sees peers change from outside, over one watch per API server. */
export interface Arrivals {
    /** When all of these clusters have seen such an event from now on, by `performance.now()`. */
    in(clusters: readonly LocalCluster[], isWanted: (event: WatchedEvent) => boolean): Promise<number>;
    close(): Promise<void>;
}

const LONGEST_WAIT_MS = 120_000;

export async function watchArrivals(clusters: readonly LocalCluster[]): Promise<Arrivals> {
    const listeners = new Set<(cluster: string, event: WatchedEvent) => void>();
    const watches = await Promise.all(
        clusters.map(({ name, adminKubeconfig }) =>
            watchPeers(adminKubeconfig, undefined, (...events) => {
                for (const event of events) for (const listener of listeners) listener(name, event);
            }),
        ),
    );
    return {
        in: (wanted, isWanted) =>
            new Promise((resolve, reject) => {
                const missing = new Set(wanted.map(({ name }) => name));
                const end = (): void => {
                    clearTimeout(timer);
                    listeners.delete(listener);
                };
                const listener = (cluster: string, event: WatchedEvent): void => {
                    if (!missing.has(cluster) || !isWanted(event)) return;
                    missing.delete(cluster);
                    if (missing.size > 0) return;
                    end();
                    resolve(performance.now());
                };
                const timer = setTimeout(() => {
                    end();
                    reject(new Error(`the change was not seen in ${[...missing].join(", ")}`));
                }, LONGEST_WAIT_MS);
                listeners.add(listener);
            }),
        close: async () => void (await Promise.all(watches.map((watch) => watch.stop()))),
    };
}
