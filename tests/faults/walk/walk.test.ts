import fc from "fast-check";
import { DoubleWorld } from "../../support/engine/double-world";
import { doubleGround } from "./ground";
import { type Step, step } from "./steps";
import { Walk } from "./walk";

const WALKS = 60;
const STEPS = 60;
const CLUSTERS = ["a", "b", "c"];

let taken = 0;
const seen = new Map<string, number>();

afterAll(() => {
    const kinds = [...seen].sort().map(([kind, count]) => `${kind} ${count}`);
    process.stdout.write(`random walk: ${taken} steps (${kinds.join(", ")})\n`);
});

async function walk(steps: readonly Step[]): Promise<void> {
    const world = await DoubleWorld.start(CLUSTERS);
    try {
        const walk = new Walk(world.clusters.map(doubleGround), world.engine(), 2, 10);
        await walk.start();
        for (const next of steps) {
            await walk.take(next);
            const violations = world.violations();
            if (violations.length > 0) throw new Error(`step ${walk.taken}: ${violations.join("; ")}`);
            taken += 1;
            seen.set(next.do, (seen.get(next.do) ?? 0) + 1);
        }
        await walk.finish();
    } finally {
        await world.close();
    }
}

test("wherever a random walk of changes, hand edits, faults and crashes leads, a run without faults comes to the model", async () => {
    await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: STEPS / 2, maxLength: STEPS, size: "max" }), walk),
        // Shrinking removes steps one after the other: minLength would keep it from doing so.
        { numRuns: WALKS, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: false },
    );
    expect(taken).toBeGreaterThan(1_000);
});
