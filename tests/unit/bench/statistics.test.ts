import { growth, median, pairwise, ratios, summarise } from "../../../bench/support/statistics";

describe("statistics of repetitions", () => {
    test("the median is the middle one, or halfway between the two middle ones", () => {
        expect(median([3, 1, 2])).toBe(2);
        expect(median([4, 1, 3, 2])).toBe(2.5);
        expect(median([7])).toBe(7);
        expect(() => median([])).toThrow("the median of nothing");
    });

    test("numbers are ordered as numbers", () => {
        expect(median([9, 10, 100])).toBe(10);
    });

    test("a summary has the lowest and the highest", () => {
        expect(summarise([5, 1, 3])).toEqual({ median: 3, lowest: 1, highest: 5, count: 3 });
    });

    test("ratios pair what was measured in the same repetition", () => {
        expect(ratios([2, 30], [1, 10])).toEqual([2, 3]);
        expect(pairwise((a, b, c) => (a! - b!) / c!, [10, 20], [4, 5], [2, 3])).toEqual([3, 5]);
    });

    test("series of different lengths are refused rather than paired wrongly", () => {
        expect(() => ratios([1, 2], [1])).toThrow("do not pair");
    });

    test("growth tells linear from quadratic", () => {
        const sizes = [100, 1_000, 4_000];
        expect(growth(sizes.map((size) => ({ size, cost: 3 * size })))).toBeCloseTo(1);
        expect(growth(sizes.map((size) => ({ size, cost: 0.1 * size ** 2 })))).toBeCloseTo(2);
    });
});
