/** Writes in flight per cluster: enough to hide the latency of a WAN, far below what API servers throttle. */
export const DEFAULT_CONCURRENCY = 16;

/** Each write in flight has a connection, which begins with a TLS handshake: it must serve a few writes to be worth that. */
const WRITES_PER_CONNECTION = 4;

/** How many of so many writes to have in flight. */
export const concurrencyFor = (writes: number): number =>
    Math.min(DEFAULT_CONCURRENCY, Math.max(1, Math.ceil(writes / WRITES_PER_CONNECTION)));

/**
 * Runs `work` for every item, at most `limit` at a time, started in order. Every item is tried: when some fail, the
 * first failure (by order of items) is thrown after all are done.
 */
export async function forEachBounded<T>(
    items: Iterable<T>,
    limit: number,
    work: (item: T, index: number) => Promise<void>,
): Promise<void> {
    const failures: { readonly index: number; readonly error: unknown }[] = [];
    const queue = items[Symbol.iterator]();
    let started = 0;
    const worker = async (): Promise<void> => {
        for (let next = queue.next(); !next.done; next = queue.next()) {
            const index = started++;
            try {
                await work(next.value, index);
            } catch (error) {
                failures.push({ index, error });
            }
        }
    };
    await Promise.all(Array.from({ length: Math.max(1, Math.floor(limit)) }, worker));
    const first = failures.sort((a, b) => a.index - b.index)[0];
    if (first) throw first.error;
}
