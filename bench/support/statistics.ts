/** What repetitions of one measurement say: the middle one, and how far they lie apart. */
export interface Summary {
    readonly median: number;
    readonly lowest: number;
    readonly highest: number;
    readonly count: number;
}

export function median(values: readonly number[]): number {
    if (values.length === 0) throw new RangeError("the median of nothing does not exist");
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function summarise(values: readonly number[]): Summary {
    return {
        median: median(values),
        lowest: Math.min(...values),
        highest: Math.max(...values),
        count: values.length,
    };
}

/**
 * Repetition by repetition, so that both sides of a ratio saw the same machine: what else runs on it changes from
 * minute to minute.
 */
export function pairwise(
    combine: (...values: readonly number[]) => number,
    ...series: readonly (readonly number[])[]
): number[] {
    const length = series[0]?.length ?? 0;
    if (series.some((each) => each.length !== length)) throw new RangeError("series of different lengths do not pair");
    return Array.from({ length }, (_, at) => combine(...series.map((each) => each[at]!)));
}

export const ratios = (above: readonly number[], below: readonly number[]): number[] =>
    pairwise((a, b) => a / b!, above, below);

/** The power that a cost grows with: 1 is linear, 2 quadratic. Least squares on logarithms. */
export function growth(points: readonly { readonly size: number; readonly cost: number }[]): number {
    const xs = points.map(({ size }) => Math.log(size));
    const ys = points.map(({ cost }) => Math.log(cost));
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
    const [x, y] = [mean(xs), mean(ys)];
    const covariance = xs.reduce((sum, each, at) => sum + (each - x) * (ys[at]! - y), 0);
    const variance = xs.reduce((sum, each) => sum + (each - x) ** 2, 0);
    return covariance / variance;
}
