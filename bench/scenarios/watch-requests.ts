import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalCluster, nodeSpecs } from "../../tools/clusters";
import type { Recorder } from "../support/results";
import { Series } from "../support/series";
import { median } from "../support/statistics";
import { createStackObject } from "../support/watch/stack-object";
import { QUIET_MS, startWatch } from "../support/watch/watch-process";
import { growTo, HEALTHY, meshOf, type Workplace } from "../support/workplace";

const [CLUSTERS, NODES] = [3, 3];
/** A node joins and leaves so many times. */
const ROUNDS = 5;
/** Calls of which the median counts, before and after each change. */
const CALLS = 5;

/** From a change until the Pulumi Kubernetes Operator is asked for an update, in API calls of the same moment. */
export async function watchRequests(workplace: Workplace, record: Recorder): Promise<void> {
    await workplace.withClusters(CLUSTERS, async ({ clusters }) => {
        await Promise.all(clusters.map((cluster) => growTo(cluster, NODES, 0)));
        const [holder, source] = clusters as [LocalCluster, LocalCluster];
        const object = await createStackObject(holder);
        const { name, args } = meshOf(clusters);
        await writeFile(join(workplace.directory, "mesh.yaml"), JSON.stringify({ mesh: name, ...args }), {
            mode: 0o600,
        });
        const first = object.asked();
        const watch = await startWatch({
            package: workplace.package,
            directory: workplace.directory,
            env: { PATH: process.env.PATH ?? "" },
            argv: ["--file=mesh.yaml", `--pulumi-stack=${object.name}`, `--in=${holder.name}`],
        });
        const series = new Series();
        const calls = async (): Promise<number[]> => {
            const found: number[] = [];
            for (let at = 0; at < CALLS; at++) found.push(await object.call());
            return found;
        };
        const measure = async (change: () => Promise<void>): Promise<void> => {
            await watch.idle();
            const before = await calls();
            const asked = object.asked();
            const begun = performance.now();
            await change();
            const request = (await asked) - begun;
            series.add({ request, call: median([...before, ...(await calls())]) });
        };
        try {
            // without a state at hand it asks for an update when it starts
            await first;
            const node = nodeSpecs(source, NODES + 1, HEALTHY).at(-1)!;
            for (let at = 1; at <= (workplace.quick ? 1 : ROUNDS); at++) {
                workplace.log(`watch, requests: round ${at}`);
                await measure(() => source.putNode(node));
                await measure(() => source.deleteNode(node.name));
            }
        } finally {
            await watch.stop();
            await object.close();
        }
        const facts = { clusters: CLUSTERS, nodes: NODES, quietMs: QUIET_MS };
        record({ name: `${CLUSTERS} × ${NODES}`, facts, series: series.all() });
    });
}
