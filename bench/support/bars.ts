import { of } from "./case-figures";
import { statePerCluster } from "./fleet/state-per-cluster";
import { atLeast, atMost, type Bar, named, ofCase, type Verdict } from "./judging";
import type { Case, Results } from "./results";
import { growth, median, pairwise, ratios } from "./statistics";
import { WATCH_BARS } from "./watch/bars";

/** What is over a reference, in units of another: 0.4 means that the reference plus 0.4 units were needed. */
const over = (above: readonly number[], reference: readonly number[], unit: readonly number[]): number[] =>
    pairwise((a, b, c) => (a! - b!) / c!, above, reference, unit);

/** The pages of a list of so many objects, 500 each. */
const pages = (objects: number): number => Math.max(1, Math.ceil(objects / 500));

/** The power that a first `up` grows with from each size to the next. */
function stepsOf(cases: readonly Case[]): number[] {
    const points = cases.map((found) => firstUp(found, "objects")).sort((a, b) => a.size - b.size);
    return points.slice(1).map((point, at) => growth([points[at]!, point]));
}

/** What a first `up` takes beyond an empty one. */
const firstUp = (found: Case, size: string) => ({
    size: found.facts[size] ?? 0,
    cost: median(pairwise((a, b) => a! - b!, of(found, "up"), of(found, "empty"))),
});

export const BARS: readonly Bar[] = [
    {
        figure: "peers written per second during `up`, 3 targets × 1,000, against the bare loop",
        bar: "≥ 0.8 ×",
        scenario: "sizes",
        judge: ofCase("3 × 1000", (found) => atLeast(ratios(of(found, "upRate"), of(found, "bareRate")), 0.8)),
    },
    {
        figure: "first `up`, 3 × 1,000 peers, whole command: what it takes beyond the bare loop, in empty `up`s",
        bar: "≤ 1.5 ×",
        scenario: "sizes",
        judge: ofCase("3 × 1000", (found) => atMost(over(of(found, "up"), of(found, "bare"), of(found, "empty")), 1.5)),
    },
    {
        figure: "`up` without changes at 4,000 peers in a target, against an empty `up`",
        bar: "≤ 1.5 ×",
        scenario: "sizes",
        judge: ofCase("1 × 4000", (found) => atMost(ratios(of(found, "noop"), of(found, "emptyAgain")), 1.5)),
    },
    {
        figure: "calls of that `up`, beyond one page of nodes and of peers for every 500 in its busiest cluster, and one get in each",
        bar: "0, no writes",
        scenario: "sizes",
        judge: ofCase("1 × 4000", ({ facts }) => {
            const { noopLists = 0, noopWrites = 0, noopOthers = 0, peers = 0, targets = 0 } = facts;
            const clusters = Math.max(2, targets);
            return atMost([noopLists - pages(peers) - 1 + noopWrites + noopOthers - clusters], 0, " calls");
        }),
    },
    {
        figure: "first `up` of 1,000 peers, faster than one resource per peer by",
        bar: "≥ 20 ×",
        scenario: "naive",
        judge: ofCase("1000", (found) => atLeast(ratios(of(found, "naive"), of(found, "up")), 20)),
    },
    {
        figure: "growth of a first `up` beyond an empty one with the number of peers, as a power (1 is linear): the steepest step between two sizes",
        bar: "≤ 1.1",
        scenario: "sizes",
        judge: (cases) => {
            const steps = [1, 3, 10].flatMap((targets) =>
                stepsOf(cases.filter(({ facts }) => facts.targets === targets)),
            );
            return steps.length > 0 ? atMost([Math.max(...steps)], 1.1, "") : undefined;
        },
    },
    {
        figure: "state of a peer set, per peer, 3 × 1,000",
        bar: "≤ 300 bytes",
        scenario: "sizes",
        judge: ofCase("3 × 1000", ({ facts }) =>
            atMost([(facts.peerSetBytes ?? 0) / (facts.objects ?? 1)], 300, " bytes"),
        ),
    },
    {
        figure: "one node changed in 10 × 100: writes for each peer that it has",
        bar: "1",
        scenario: "one-node",
        judge: ofCase("10 × 100", (found) => {
            const measured = of(found, "writes").map((writes) => writes / (found.facts.expectedWrites ?? 1));
            return { measured, unit: "", met: measured.every((each) => each === 1) };
        }),
    },
    {
        figure: "peers deleted per second during `destroy` of 4,000, against bare parallel deletes",
        bar: "≥ 0.85 ×",
        scenario: "sizes",
        judge: ofCase("1 × 4000", (found) =>
            atLeast(ratios(of(found, "destroyRate"), of(found, "bareDeleteRate")), 0.85),
        ),
    },
    {
        figure: "peers written per second during `up` of 4,000 in one target, against the bare loop",
        bar: "≥ 0.85 ×",
        scenario: "sizes",
        judge: ofCase("1 × 4000", (found) => atLeast(ratios(of(found, "upRate"), of(found, "bareRate")), 0.85)),
    },
    {
        figure: "peak memory of the provider at 20,000 peers, over its peak with 5",
        bar: "≤ 300 MB",
        scenario: "memory",
        judge: (cases) => {
            const [idle, large] = [named(cases, "idle"), named(cases, "large")];
            if (idle === undefined || large?.facts.peers !== 20_000) return undefined;
            return atMost(
                pairwise((a, b) => a! - b!, of(large, "provider"), of(idle, "provider")),
                300,
                " MB",
            );
        },
    },
    {
        figure: "`up` with dead clusters: what it takes beyond a healthy one, in timeouts, whatever their number",
        bar: "≤ 1.1 ×",
        scenario: "dead",
        judge: (cases) => {
            if (cases.length === 0) return undefined;
            const extra = cases.map((each) =>
                median(
                    pairwise((a, b) => (a! - b!) / (each.facts.timeoutMs ?? 1), of(each, "up"), of(each, "healthy")),
                ),
            );
            return { measured: extra, unit: "×", met: extra.every((each) => each <= 1.1) };
        },
    },
    {
        figure: "fleet of 200 × 20: `up` without changes, in empty `up`s",
        bar: "≤ 2.5 ×",
        scenario: "fleet",
        judge: ofCase("200 × 20", (found) => atMost(ratios(of(found, "noop"), of(found, "empty")), 2.5)),
    },
    {
        figure: "fleet of 200 × 20: first `up`, against a loop that serves one cluster after the other",
        bar: "≤ 0.35 ×",
        scenario: "fleet",
        judge: ofCase("200 × 20", (found) => atMost(ratios(of(found, "up"), of(found, "serial")), 0.35)),
    },
    {
        figure: "growth of a first `up` beyond an empty one from 50 to 400 clusters of 20 nodes, as a power",
        bar: "≤ 1.25",
        scenario: "fleet",
        judge: (cases) => {
            const ends = [named(cases, "50 × 20"), named(cases, "400 × 20")];
            const points = ends.flatMap((found) => (found === undefined ? [] : [firstUp(found, "clusters")]));
            return points.length === ends.length ? atMost([growth(points)], 1.25, "") : undefined;
        },
    },
    {
        figure: "fleet of 200 × 20: a node joins a spoke, against an `up` without changes",
        bar: "≤ 1.15 ×",
        scenario: "fleet",
        judge: ofCase("200 × 20", (found) => atMost(ratios(of(found, "node"), of(found, "noop")), 1.15)),
    },
    {
        figure: "fleet of 200 × 20: writes when a node joins a spoke",
        bar: "1",
        scenario: "fleet",
        judge: ofCase("200 × 20", ({ facts: { nodeWrites = 0 } }) => ({
            measured: [nodeWrites],
            unit: "",
            met: nodeWrites === 1,
        })),
    },
    {
        figure: "fleet of 200 × 20: one spoke is dead: what `up` takes beyond a healthy one, in timeouts",
        bar: "≤ 1.1 ×",
        scenario: "fleet",
        judge: ofCase("200 × 20", (found) =>
            atMost(
                pairwise((a, b) => (a! - b!) / (found.facts.timeoutMs ?? 1), of(found, "dead"), of(found, "noop")),
                1.1,
            ),
        ),
    },
    {
        figure: "state per cluster of 20 nodes with a kubeconfig of 0.4 kB, hub and 199 spokes",
        bar: "≤ 9,000 bytes",
        scenario: "fleet",
        judge: ofCase("200 × 20", (found) => atMost([statePerCluster(found)], 9_000, " bytes")),
    },
    {
        figure: "fleet of 200 × 20: peak memory of program and host together",
        bar: "≤ 500 MB",
        scenario: "fleet",
        judge: ofCase("200 × 20", (found) =>
            atMost(
                pairwise((a, b) => a! + b!, of(found, "programPeak"), of(found, "providerPeak")),
                500,
                " MB",
            ),
        ),
    },
    {
        figure: "`up` without changes by the plugin, 3 × 3 nodes, in empty `up`s",
        bar: "≤ 1.45 ×",
        scenario: "hosts",
        judge: ofCase("3 × 3", (found) => atMost(ratios(of(found, "plugin"), of(found, "pluginEmpty")), 1.45)),
    },
    {
        figure: "`up` without changes by the plugin, 1,000 peers in one target, in empty `up`s",
        bar: "≤ 1.75 ×",
        scenario: "hosts",
        judge: ofCase("1 × 1000", (found) => atMost(ratios(of(found, "plugin"), of(found, "pluginEmpty")), 1.75)),
    },
    ...WATCH_BARS,
];

export interface Judged {
    readonly bar: Bar;
    readonly verdict: Verdict;
}

export function judge(all: readonly Results[]): Judged[] {
    return BARS.flatMap((bar) => {
        const verdict = bar.judge(all.find(({ scenario }) => scenario === bar.scenario)?.cases ?? []);
        return verdict === undefined ? [] : [{ bar, verdict }];
    });
}
