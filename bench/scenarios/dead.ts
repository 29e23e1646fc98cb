import { countCalls } from "../support/counted";
import type { Recorder } from "../support/results";
import { Series } from "../support/series";
import { growTo, meshOf, type Workplace } from "../support/workplace";

/** Some clusters of a mesh fall silent: connections are accepted and nothing is answered, the slowest way to be dead. */
export async function dead(workplace: Workplace, record: Recorder): Promise<void> {
    const [count, numbers, timeout] = workplace.quick ? [3, [1, 2], 2] : [10, [1, 5, 9], 10];
    await workplace.withClusters(count, async ({ clusters }) => {
        await Promise.all(clusters.map((cluster) => growTo(cluster, 10, 0)));
        const counted = await countCalls(clusters);
        const stack = await workplace.stack("mesh");
        await stack.give("mesh.json", meshOf(counted.members, { requestTimeout: timeout }));
        await stack.run("up");
        const series = new Map(numbers.map((d) => [d, new Series()]));
        for (let at = 1; at <= workplace.repetitions; at++) {
            for (const d of numbers) {
                workplace.log(`${d} of ${count} dead: repetition ${at} of ${workplace.repetitions}`);
                const healthy = await stack.time("up");
                for (const proxy of counted.proxies.slice(-d)) proxy.blackHole(true);
                const up = await stack.time("up");
                for (const proxy of counted.proxies) proxy.blackHole(false);
                series.get(d)!.add({ healthy, up });
            }
        }
        await stack.run("destroy");
        await counted.close();
        await stack.remove();
        for (const d of numbers) {
            record({
                name: `${d} of ${count}`,
                facts: { dead: d, clusters: count, timeoutMs: timeout * 1000 },
                series: series.get(d)!.all(),
            });
        }
    });
}
