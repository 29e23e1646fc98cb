import type { LocalCluster } from "../../tools/clusters";
import type { Case, Recorder } from "../support/results";
import { Series } from "../support/series";
import { growTo, meshOf, type Workplace } from "../support/workplace";

/** So many clusters, and the nodes of each. */
interface Mesh {
    readonly name: string;
    readonly nodes: readonly number[];
}

const FULL: readonly Mesh[] = [
    { name: "3 × 3", nodes: [3, 3, 3] },
    { name: "1 × 1000", nodes: [1_000, 1] },
    { name: "1 × 4000", nodes: [4_000, 1] },
];
const QUICK: readonly Mesh[] = [{ name: "3 × 3", nodes: [3, 3, 3] }];

/** An `up` that changes nothing, by the dynamic host and by the plugin, each beside an empty one of the same minute. */
export async function hosts(workplace: Workplace, record: Recorder): Promise<void> {
    for (const mesh of (workplace.quick ? QUICK : FULL).filter(({ name }) => workplace.wants(name))) {
        await workplace.withClusters(mesh.nodes.length, async ({ clusters }) => {
            await Promise.all(clusters.map((cluster, at) => growTo(cluster, mesh.nodes[at]!, 0)));
            record(await measure(workplace, clusters, mesh));
        });
    }
}

async function measure(workplace: Workplace, clusters: readonly LocalCluster[], { name, nodes }: Mesh): Promise<Case> {
    const empty = await workplace.stack("empty");
    const series = new Series();
    // One after the other on the same clusters: two meshes would refuse to share them.
    for (const host of ["dynamic", "plugin"] as const) {
        const stack = await workplace.stack(host === "dynamic" ? "mesh" : "remote-mesh");
        await stack.give("mesh.json", meshOf(clusters));
        await stack.run("up");
        for (let at = 1; at <= workplace.repetitions; at++) {
            workplace.log(`hosts ${name}, ${host}: repetition ${at} of ${workplace.repetitions}`);
            const [first, second] = at % 2 === 0 ? [stack, empty] : [empty, stack];
            const [a, b] = [await first.time("up"), await second.time("up")];
            const [noop, idle] = first === stack ? [a, b] : [b, a];
            series.add({ [host]: noop, [`${host}Empty`]: idle });
        }
        await stack.run("destroy");
        await stack.remove();
    }
    await empty.remove();
    return { name, facts: { clusters: nodes.length, nodes: Math.max(...nodes) }, series: series.all() };
}
