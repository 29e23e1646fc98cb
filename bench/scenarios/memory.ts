import type { ByProcess } from "../support/process-watch";
import type { Case, Recorder } from "../support/results";
import { Series } from "../support/series";
import { growTo, meshOf, type Workplace } from "../support/workplace";

const OPERATIONS = ["up", "up", "preview", "refresh", "destroy"] as const;

/** Peak memory of every process over a whole life of the mesh: a tiny one for comparison, and all peers in one hub. */
export async function memory(workplace: Workplace, record: Recorder): Promise<void> {
    const [spokes, nodes] = workplace.quick ? [2, 10] : [5, 4_000];
    await workplace.withClusters(spokes + 1, async ({ clusters }) => {
        const [hub, ...others] = clusters;
        const measure = async (name: string, perSpoke: number): Promise<Case> => {
            workplace.log(`memory: ${name}`);
            const stack = await workplace.stack("mesh");
            await stack.give("mesh.json", meshOf(clusters, { topology: { hubs: [hub!.name] } }));
            const series = new Series();
            const peaks: ByProcess[] = [];
            for (const operation of OPERATIONS) {
                const run = await stack.run(operation, { watch: true });
                if (run.watched !== undefined) peaks.push(run.watched.peaks);
            }
            const highest = (kind: keyof ByProcess): number => Math.max(...peaks.map((each) => each[kind]));
            series.add({ engine: highest("engine"), program: highest("program"), provider: highest("provider") });
            await stack.remove();
            return { name, facts: { peers: perSpoke * spokes }, series: series.all() };
        };
        await Promise.all(clusters.map((cluster) => growTo(cluster, 1, 0)));
        record(await measure("idle", 1));
        await Promise.all(others.map((cluster) => growTo(cluster, nodes, 1)));
        record(await measure("large", nodes));
    });
}
