import { type LocalCluster, nodeSpecs } from "../../tools/clusters";
import type { Recorder } from "../support/results";
import { Series } from "../support/series";
import { watchArrivals } from "../support/watch/arrivals";
import { changesOf, SITE } from "../support/watch/changes";
import { QUIET_MS, startWatch } from "../support/watch/watch-process";
import { growTo, HEALTHY, meshOf, type Workplace } from "../support/workplace";

const [CLUSTERS, NODES] = [3, 3];
/** How often; every other change half as often. */
const REPETITIONS = 10;
const OFTEN: ReadonlySet<string> = new Set(["a node joins", "a node leaves"]);

/** From a change in one cluster until its peers are in the others, beside an `up` that writes one peer. */
export async function watch(workplace: Workplace, record: Recorder): Promise<void> {
    await workplace.withClusters(CLUSTERS, async ({ clusters }) => {
        await Promise.all(clusters.slice(0, -1).map((cluster) => growTo(cluster, NODES, 0)));
        const site = clusters.at(-1)!;
        const [leader, ...rest] = nodeSpecs(site, NODES, { ...HEALTHY, ...SITE });
        await site.putNodes([{ ...leader!, leader: true }, ...rest]);
        await measure(workplace, clusters, record);
    });
}

async function measure(workplace: Workplace, clusters: readonly LocalCluster[], record: Recorder): Promise<void> {
    const stack = await workplace.stack("mesh");
    await stack.give("mesh.json", meshOf(clusters));
    await stack.run("up");
    const arrivals = await watchArrivals(clusters);
    const repetitions = workplace.quick ? 1 : REPETITIONS;
    const found = new Map<string, Series>();

    /** What each change took, in milliseconds. */
    const follow = async (at: number): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> => {
        const process = await startWatch({
            package: workplace.package,
            directory: stack.directory,
            env: stack.env,
            argv: ["--stack", stack.name],
            command: ["pulumi", ...stack.arguments("up")],
        });
        const measured = new Map<string, Readonly<Record<string, number>>>();
        try {
            for (const change of changesOf(clusters, NODES, at)) {
                if (at % 2 === 0 && !OFTEN.has(change.name)) continue;
                await process.idle();
                const before = process.runs.length;
                const arrived = arrivals.in(change.targets, change.isFollowed);
                const begun = await change.make();
                const [followed, started] = [(await arrived) - begun, (process.runs[before] ?? begun) - begun];
                await process.idle();
                const runs = process.runs.length - before;
                measured.set(change.name, { followed, started, runs });
            }
        } finally {
            await process.stop();
        }
        return measured;
    };
    const reference = async (): Promise<number> => {
        await removeOnePeer(clusters[1]!);
        return stack.time("up");
    };

    for (let at = 1; at <= repetitions; at++) {
        workplace.log(`watch: repetition ${at} of ${repetitions}`);
        const early = at % 2 === 0 ? await reference() : undefined;
        const measured = await follow(at);
        const up = early ?? (await reference());
        for (const [name, figures] of measured) {
            const series = found.get(name) ?? new Series();
            found.set(name, series);
            series.add({ ...figures, up });
        }
    }
    await arrivals.close();
    await stack.run("destroy");
    await stack.remove();
    const facts = { clusters: CLUSTERS, nodes: NODES, quietMs: QUIET_MS };
    for (const [name, series] of found) record({ name, facts, series: series.all() });
}

/** The next `up` writes one peer. */
async function removeOnePeer(cluster: LocalCluster): Promise<void> {
    const [peer] = await cluster.listPeers();
    await cluster.deletePeer(peer!.metadata.name);
}
