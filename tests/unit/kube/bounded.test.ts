import { concurrencyFor, forEachBounded } from "../../../provider/kube/bounded";
import fc from "../../support/chance";

const tick = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("every item is worked on once, never more than the limit at a time, started in order", async () => {
    await fc.assert(
        fc.asyncProperty(
            fc.array(fc.nat(3), { maxLength: 40 }),
            fc.integer({ min: 1, max: 8 }),
            async (items, limit) => {
                let running = 0;
                const started: number[] = [];
                await forEachBounded(items, limit, async (wait, index) => {
                    started.push(index);
                    expect(++running).toBeLessThanOrEqual(limit);
                    if (wait > 0) await tick(wait - 1);
                    running--;
                });
                expect(started).toEqual(items.map((_, index) => index));
                expect(running).toBe(0);
            },
        ),
        { numRuns: 40 },
    );
});

test("a failure does not stop the rest, and the first failure by order is thrown at the end", async () => {
    const done: number[] = [];
    const work = forEachBounded([30, 1, 2, 3], 2, async (item) => {
        await tick(item);
        done.push(item);
        if (item === 30 || item === 2) throw new Error(`failed ${item}`);
    });
    await expect(work).rejects.toThrow("failed 30");
    expect(done.sort((a, b) => a - b)).toEqual([1, 2, 3, 30]);
});

test("a limit below one still works", async () => {
    const seen: string[] = [];
    await forEachBounded(["a", "b"], 0, async (item) => void seen.push(item));
    expect(seen).toEqual(["a", "b"]);
});

test("few writes share few connections, and many never have more than sixteen in flight", () => {
    expect([0, 1, 4, 5, 20, 64, 4_000].map(concurrencyFor)).toEqual([1, 1, 1, 2, 5, 16, 16]);
});
