import type { Point, Range } from "./address";
import { byRange, overlaps } from "./cidr";

export interface Owned<T, R extends Range = Range> {
    readonly network: R;
    readonly owner: T;
}

export interface Overlap<T, R extends Range = Range> {
    readonly outer: Owned<T, R>;
    readonly inner: Owned<T, R>;
}

/** Finds who shares an address with a network, among networks that may overlap each other. O(log n) a question. */
export type OverlapFinder<T> = (network: Range) => T | undefined;

export function overlapFinder<T>(entries: readonly Owned<T>[]): OverlapFinder<T> {
    const sorted = [...entries].sort(byNetwork);
    // reach[i]: of the first i + 1 entries, the one that ends last
    const reach: Owned<T>[] = [];
    for (const entry of sorted) {
        const before = reach.at(-1);
        reach.push(before !== undefined && before.network.last >= entry.network.last ? before : entry);
    }
    return (network) => {
        const candidate = reach[lastStartingBy(sorted, network.last)];
        return candidate !== undefined && candidate.network.last >= network.first ? candidate.owner : undefined;
    };
}

const byNetwork = (a: Owned<unknown>, b: Owned<unknown>): number => byRange(a.network, b.network);

/** Index of the last entry that starts at or before `point`, or -1. */
function lastStartingBy<T>(sorted: readonly Owned<T>[], point: Point): number {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (sorted[middle]!.network.first <= point) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

/**
 * Calls `visit` for every pair of networks that share an address, in one sorted pass: CIDR blocks nest or are
 * disjoint, so a stack of the enclosing ones is all there is to remember.
 */
export function eachOverlap<T, R extends Range>(
    entries: readonly Owned<T, R>[],
    visit: (pair: Overlap<T, R>) => void,
): void {
    const enclosing: Owned<T, R>[] = [];
    for (const inner of [...entries].sort(byNetwork)) {
        while (enclosing.length > 0 && !overlaps(enclosing.at(-1)!.network, inner.network)) enclosing.pop();
        for (const outer of enclosing) visit({ outer, inner });
        enclosing.push(inner);
    }
}
