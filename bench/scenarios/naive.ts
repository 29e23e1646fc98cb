import { readFileSync } from "node:fs";
import type { LocalClusters } from "../../tools/clusters";
import { bareLoop, countOf, readBodies } from "../support/peer-bodies";
import type { Case, Recorder } from "../support/results";
import { Series } from "../support/series";
import { tokenIn } from "../support/token";
import { growTo, meshOf, type Workplace } from "../support/workplace";

const FULL = [100, 250, 500, 1_000];
const QUICK = [10, 20];
/** Beyond this many once is enough: it takes minutes, and the smaller sizes show the spread. */
const REPEATED = 500;

/** First `up` of so many peers in one target: ours against one resource per peer. */
export async function naive(workplace: Workplace, record: Recorder): Promise<void> {
    await workplace.withClusters(2, async (clusters) => {
        let before = 0;
        for (const peers of (workplace.quick ? QUICK : FULL).filter((each) => workplace.wants(`${each}`))) {
            await growTo(clusters.clusters[0]!, peers, before);
            await growTo(clusters.clusters[1]!, 1, before === 0 ? 0 : 1);
            before = peers;
            record(await measure(workplace, clusters, peers));
        }
    });
}

async function measure(workplace: Workplace, { clusters }: LocalClusters, peers: number): Promise<Case> {
    const ours = await workplace.stack("mesh");
    await ours.give("mesh.json", meshOf(clusters));
    await ours.run("up");
    const target = (await readBodies(clusters)).find((bodies) => countOf([bodies]) === peers)!;
    await ours.run("destroy");
    const series = new Series();
    let stateBytes = 0;
    const repetitions = peers > REPEATED ? 1 : workplace.repetitions;
    for (let at = 1; at <= repetitions; at++) {
        workplace.log(`naive ${peers}: repetition ${at} of ${repetitions}`);
        const up = await ours.time("up");
        await ours.run("destroy");
        // A stack of its own each time, and its peers deleted by hand: its destroy would take as long again.
        const theirs = await workplace.stack("naive");
        await theirs.give("peers.json", {
            url: target.cluster.url,
            ca: readFileSync(target.cluster.caFile, "utf8"),
            token: tokenIn(target.cluster.kubeconfig),
            peers: target.peers,
        });
        series.add({ up, naive: await theirs.time("up") });
        stateBytes = Buffer.byteLength(await theirs.state());
        await bareLoop(workplace, "delete", [target]);
        await theirs.remove();
    }
    await ours.remove();
    return { name: `${peers}`, facts: { peers, stateBytes }, series: series.all() };
}
