import type { LocalCluster, LocalClusters } from "../../tools/clusters";
import { countCalls } from "../support/counted";
import { type Bodies, bareLoop, countOf, kubectlApply, readBodies } from "../support/peer-bodies";
import type { Case, Recorder } from "../support/results";
import { Series } from "../support/series";
import type { Operation, Stack } from "../support/stack";
import { stateSize } from "../support/state-size";
import { growTo, meshOf, type Workplace } from "../support/workplace";
import { watchWrites } from "../support/write-watch";

/** So many targets with so many peers each. One target: the other cluster has all the nodes and gets a single peer. */
interface Size {
    readonly targets: number;
    readonly peers: number;
}

const FULL: readonly Size[] = [1, 3, 10].flatMap((targets) => [100, 1_000, 4_000].map((peers) => ({ targets, peers })));
const QUICK: readonly Size[] = [{ targets: 3, peers: 20 }];

/** Beyond this many objects once is enough: it takes up to half an hour, and the smaller sizes show the spread. */
const REPEATED = 10_000;

/** First `up`, the same again, preview, refresh and destroy of whole meshes, against the least the same work can cost. */
export async function sizes(workplace: Workplace, record: Recorder): Promise<void> {
    const wanted = (workplace.quick ? QUICK : FULL).filter((size) => workplace.wants(nameOf(size)));
    for (const targets of new Set(wanted.map((size) => size.targets))) {
        await workplace.withClusters(Math.max(2, targets), async (clusters) => {
            let before: readonly number[] = clusters.clusters.map(() => 0);
            for (const size of wanted.filter((each) => each.targets === targets)) {
                const nodes = nodesFor(size, clusters.clusters.length);
                await Promise.all(clusters.clusters.map((each, at) => growTo(each, nodes[at]!, before[at]!)));
                before = nodes;
                record(await measure(workplace, clusters, size));
            }
        });
    }
}

const nameOf = ({ targets, peers }: Size): string => `${targets} × ${peers}`;

const nodesFor = ({ targets, peers }: Size, clusters: number): number[] =>
    targets === 1 ? [peers, 1] : Array.from({ length: clusters }, () => Math.ceil(peers / (clusters - 1)));

async function measure(workplace: Workplace, { clusters }: LocalClusters, size: Size): Promise<Case> {
    const name = nameOf(size);
    workplace.log(`sizes ${name}: counting calls`);
    const stack = await workplace.stack("mesh");
    const empty = await workplace.stack("empty");
    const oneResource = await workplace.stack("one-resource");
    await oneResource.run("up");
    const { bodies, facts } = await countedLife(stack, clusters);
    await stack.give("mesh.json", meshOf(clusters));
    const series = new Series();
    const objects = countOf(bodies);
    const repetitions = objects > REPEATED ? 1 : workplace.repetitions;
    for (let at = 1; at <= repetitions; at++) {
        workplace.log(`sizes ${name}: repetition ${at} of ${repetitions}`);
        // What an API server has just served may tell on what comes next: neither side is always second.
        const meshFirst = at % 2 === 0;
        series.add(await repetition(workplace, { stack, empty, oneResource, clusters, bodies }, meshFirst));
    }
    await Promise.all([stack, empty, oneResource].map((each) => each.remove()));
    return { name, facts: { ...size, objects, ...facts }, series: series.all() };
}

/** One life of the mesh behind counting proxies. It also warms everything up and shows which objects are written. */
async function countedLife(stack: Stack, clusters: readonly LocalCluster[]) {
    const counted = await countCalls(clusters);
    await stack.give("mesh.json", meshOf(counted.members));
    const facts: Record<string, number> = {};
    const count = async (name: string, operation: Operation): Promise<void> => {
        const { lists, writes, others } = await counted.count(() => stack.run(operation));
        Object.assign(facts, { [`${name}Lists`]: lists, [`${name}Writes`]: writes, [`${name}Others`]: others });
    };
    await count("up", "up");
    await count("noop", "up");
    await count("preview", "preview");
    await count("refresh", "refresh");
    const bodies = await readBodies(clusters);
    const { whole, peerSets } = stateSize(await stack.state());
    await count("destroy", "destroy");
    await counted.close();
    return { bodies, facts: { ...facts, stateBytes: whole, peerSetBytes: peerSets } };
}

interface Setting {
    readonly stack: Stack;
    readonly empty: Stack;
    readonly oneResource: Stack;
    readonly clusters: readonly LocalCluster[];
    readonly bodies: readonly Bodies[];
}

async function repetition(
    workplace: Workplace,
    { stack, empty, oneResource, clusters, bodies }: Setting,
    meshFirst: boolean,
): Promise<Record<string, number>> {
    const objects = countOf(bodies);
    const rated = async (
        name: string,
        type: "ADDED" | "DELETED",
        work: () => Promise<number>,
    ): Promise<Record<string, number>> => {
        const watch = await watchWrites(clusters, type);
        const milliseconds = await work();
        return { [name]: milliseconds, [`${name}Rate`]: await watch.rate(objects) };
    };
    const times: Record<string, number> = {};
    const loop = async (): Promise<void> => {
        times.empty = await empty.time("up");
        Object.assign(times, await rated("bare", "ADDED", () => bareLoop(workplace, "create", bodies)));
        Object.assign(times, await rated("bareDelete", "DELETED", () => bareLoop(workplace, "delete", bodies)));
    };
    const mesh = async (): Promise<void> => {
        Object.assign(times, await rated("up", "ADDED", () => stack.time("up")));
        times.noop = await stack.time("up");
        times.emptyAgain = await empty.time("up");
        times.oneResource = await oneResource.time("up");
        times.preview = await stack.time("preview");
        times.refresh = await stack.time("refresh");
        Object.assign(times, await rated("destroy", "DELETED", () => stack.time("destroy")));
    };
    for (const measured of meshFirst ? [mesh, loop] : [loop, mesh]) await measured();
    times.kubectl = await kubectlApply(workplace, bodies);
    await bareLoop(workplace, "delete", bodies);
    return times;
}
