import { cpus } from "node:os";
import { type Fleet, type FleetCluster, openFleet, type Served } from "../support/fleet/fleet";
import { type Bodies, countOf, kubectlApply, serialLoop } from "../support/peer-bodies";
import type { ByProcess } from "../support/process-watch";
import type { Case, Recorder } from "../support/results";
import { Series } from "../support/series";
import type { Operation, Stack } from "../support/stack";
import { stateSize } from "../support/state-size";
import { meshOf, type Workplace } from "../support/workplace";

interface Size {
    readonly clusters: number;
    readonly nodes: number;
    readonly topology: "hub" | "full";
    /** Recorded in two resources, as fleets should be, or in two for each cluster. */
    readonly grouped: boolean;
}

const FULL: readonly Size[] = [
    ...[50, 100, 200, 400].map((clusters): Size => ({ clusters, nodes: 20, topology: "hub", grouped: true })),
    { clusters: 50, nodes: 20, topology: "full", grouped: true },
    ...[50, 100, 200].map((clusters): Size => ({ clusters, nodes: 20, topology: "hub", grouped: false })),
];
const QUICK: readonly Size[] = [{ clusters: 6, nodes: 3, topology: "hub", grouped: true }];

/** Once is enough beyond this many clusters, and a loop with one request at a time is left out beyond this many objects. */
const REPEATED = 100;
const LOOPED = 20_000;

/** As an API server of the same region answers; on loopback a loop that waits for each answer would wait for nothing. */
const DELAY_MS = 10;

const nameOf = ({ clusters, nodes, topology, grouped }: Size): string =>
    `${grouped ? "" : "ungrouped "}${topology === "full" ? "full " : ""}${clusters} × ${nodes}`;

/** Whole lives of fleets, against the same work done by a loop and by `kubectl`. */
export async function fleet(workplace: Workplace, record: Recorder): Promise<void> {
    for (const size of workplace.quick ? QUICK : FULL) {
        if (!workplace.wants(nameOf(size))) continue;
        const real = workplace.quick ? 1 : cpus().length;
        // one more, for the spoke that joins
        const opened = await openFleet(workplace, { count: size.clusters + 1, real, delayMs: DELAY_MS });
        try {
            await Promise.all(opened.clusters.map((cluster) => opened.grow(cluster, 1, size.nodes)));
            record(await measure(workplace, opened, size, real));
        } finally {
            await opened.close();
        }
    }
}

async function measure(workplace: Workplace, opened: Fleet, size: Size, real: number): Promise<Case> {
    const name = nameOf(size);
    const repetitions = size.clusters > REPEATED ? 1 : Math.min(3, workplace.repetitions);
    const series = new Series();
    let facts: Readonly<Record<string, number>> = {};
    for (let at = 1; at <= repetitions; at++) {
        workplace.log(`fleet ${name}: repetition ${at} of ${repetitions}`);
        const found = await life(workplace, opened, { ...size, nodes: size.nodes + at - 1 });
        series.add(found.series);
        facts = found.facts;
    }
    const { clusters, nodes } = size;
    return { name, facts: { clusters, nodes, real, delayMs: DELAY_MS, ...facts }, series: series.all() };
}

/** One life, from the first `up` to `destroy`, and then the same objects by other means. */
async function life(workplace: Workplace, opened: Fleet, size: Size) {
    const timeout = workplace.quick ? 2 : 10;
    const members = opened.clusters.slice(0, size.clusters);
    const [hub, changing] = [members[0]!, members.at(-1)!];
    const stack = await workplace.stack("mesh");
    const empty = await workplace.stack("empty");
    const give = (clusters: readonly FleetCluster[]): Promise<void> =>
        stack.give(
            "mesh.json",
            meshOf(clusters, {
                requestTimeout: timeout,
                grouped: size.grouped,
                ...(size.topology === "hub" ? { topology: { hubs: [hub.name] } } : {}),
            }),
        );
    const measured: Record<string, number> = {};
    const facts: Record<string, number> = { timeoutMs: timeout * 1000 };
    const peaks: ByProcess[] = [];
    const run = async (name: string, which: Stack, operation: Operation): Promise<void> => {
        workplace.log(`  ${name}`);
        const { served, by } = await watched(opened, which, operation);
        Object.assign(measured, {
            [name]: served.milliseconds,
            [`${name}Engine`]: by.cpu.engine + by.cpu.languageHost,
            [`${name}Program`]: by.cpu.program,
            [`${name}Provider`]: by.cpu.provider,
            [`${name}Servers`]: served.cpu,
        });
        if (which !== stack) return;
        Object.assign(facts, { [`${name}Lists`]: served.lists, [`${name}Writes`]: served.writes });
        peaks.push(by.peaks);
    };

    await give(members);
    await run("empty", empty, "up");
    await run("up", stack, "up");
    const bodies = (await opened.bodies()).filter(({ peers }) => peers.length > 0);
    const { whole, secrets } = stateSize(await stack.state());
    await run("noop", stack, "up");
    await opened.grow(changing, size.nodes + 1, size.nodes + 1);
    await run("node", stack, "up");
    await give(opened.clusters);
    await run("spoke", stack, "up");
    await opened.silence(changing, true);
    await run("dead", stack, "up");
    await opened.silence(changing, false);
    await run("refresh", stack, "refresh");
    await run("destroy", stack, "destroy");
    Object.assign(measured, await otherwise(workplace, opened, bodies));
    await Promise.all([stack, empty].map((each) => each.remove()));
    const kubeconfigs = members.reduce((sum, { kubeconfig }) => sum + kubeconfig.length, 0);
    const highest = (kind: keyof ByProcess): number => Math.max(...peaks.map((each) => each[kind]));
    return {
        facts: {
            ...facts,
            objects: countOf(bodies),
            stateBytes: whole,
            secretBytes: secrets,
            kubeconfigBytes: kubeconfigs / members.length,
        },
        series: {
            ...measured,
            enginePeak: highest("engine"),
            programPeak: highest("program"),
            providerPeak: highest("provider"),
        },
    };
}

async function watched(
    opened: Fleet,
    stack: Stack,
    operation: Operation,
): Promise<{ readonly served: Served; readonly by: { readonly peaks: ByProcess; readonly cpu: ByProcess } }> {
    let by: { readonly peaks: ByProcess; readonly cpu: ByProcess } | undefined;
    const served = await opened.served(async () => {
        const run = await stack.run(operation, { watch: true });
        by = run.watched;
        return run.milliseconds;
    });
    if (by === undefined) throw new Error(`pulumi ${operation} was not watched`);
    return { served, by };
}

/** The same objects by a loop that serves one cluster after the other, and by `kubectl`. */
async function otherwise(
    workplace: Workplace,
    opened: Fleet,
    bodies: readonly Bodies[],
): Promise<Record<string, number>> {
    if (countOf(bodies) > LOOPED) return {};
    workplace.log("  serial loop");
    const serial = await serialLoop(workplace, bodies);
    await opened.clear();
    workplace.log("  kubectl apply");
    // doubles have no OpenAPI that kubectl could check against
    const kubectl = await kubectlApply(workplace, bodies, "--validate=false");
    await opened.clear();
    return { serial, kubectl };
}
