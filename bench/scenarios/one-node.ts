import { publicKey } from "../../tools/clusters";
import { countCalls } from "../support/counted";
import type { Recorder } from "../support/results";
import { Series } from "../support/series";
import { growTo, HEALTHY, meshOf, type Workplace } from "../support/workplace";

/** One node of a large mesh gets a new key: what is written, and what it costs over an `up` that changes nothing. */
export async function oneNode(workplace: Workplace, record: Recorder): Promise<void> {
    const [count, nodes] = workplace.quick ? [3, 3] : [10, 100];
    await workplace.withClusters(count, async ({ clusters }) => {
        await Promise.all(clusters.map((cluster) => growTo(cluster, nodes, 0)));
        const counted = await countCalls(clusters);
        const stack = await workplace.stack("mesh");
        await stack.give("mesh.json", meshOf(counted.members));
        await stack.run("up");
        const series = new Series();
        const [changed] = clusters;
        for (let at = 1; at <= workplace.repetitions; at++) {
            workplace.log(`one node: repetition ${at} of ${workplace.repetitions}`);
            const noop = await stack.time("up");
            const name = `${changed!.name}-n1`;
            await changed!.putNode({ ...HEALTHY, name, index: 1, key: publicKey(changed!.name, `key ${at}`) });
            let up = 0;
            const { writes } = await counted.count(async () => {
                up = await stack.time("up");
            });
            series.add({ noop, up, writes });
        }
        await stack.run("destroy");
        await counted.close();
        await stack.remove();
        const facts = { clusters: count, nodes, expectedWrites: count - 1 };
        record({ name: `${count} × ${nodes}`, facts, series: series.all() });
    });
}
