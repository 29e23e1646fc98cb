import { judge } from "./bars";
import { against, fact, of, seconds } from "./case-figures";
import { fleetSection } from "./fleet/section";
import type { Case, Results, ScenarioName } from "./results";
import { pairwise } from "./statistics";
import { figure, short, table, thousands } from "./table";
import { watchIdleSection, watchRequestsSection, watchSection } from "./watch/section";

const BEGIN = "<!-- results: written by `npm run bench`, do not edit -->";
const END = "<!-- end of results -->";

/** The page with the results in it; everything outside of the marks stays as it is. */
export function withResults(page: string, results: readonly Results[]): string {
    const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
    if (before < 0 || after < before) throw new Error("the page has no place for results");
    return `${page.slice(0, before)}${BEGIN}\n\n${report(results)}\n\n${page.slice(after)}`;
}

export function report(results: readonly Results[]): string {
    if (results.length === 0) return "Nothing was measured yet.";
    const sections = [bars(results)];
    for (const { scenario, cases } of results) if (cases.length > 0) sections.push(SECTIONS[scenario](cases));
    const { cores, memoryGB, platform, node } = results[0]!.machine;
    sections.unshift(
        `Measured on ${cores} cores and ${memoryGB} GB, ${platform}, Node ${node}; API servers, etcd, engine and ` +
            "measuring share them. Medians, with the lowest and the highest of all repetitions in parentheses.",
    );
    return sections.join("\n\n");
}

function bars(results: readonly Results[]): string {
    const rows = judge(results).map(({ bar, verdict }) => [
        bar.figure,
        bar.bar,
        figure(verdict.measured, verdict.unit),
        verdict.met ? "met" : "**missed**",
    ]);
    return `### Bars\n\n${table(["figure", "bar", "measured", ""], rows)}`;
}

/** `3 × 1,000` */
const size = (each: Case): string => `${fact(each, "targets")} × ${thousands(fact(each, "peers"))}`;

const calls = (each: Case, operation: string): string =>
    `${fact(each, `${operation}Lists`)} + ${thousands(fact(each, `${operation}Writes`))}`;

const SECTIONS: Readonly<Record<ScenarioName, (cases: readonly Case[]) => string>> = {
    sizes: (cases) =>
        [
            "### First `up`: targets × peers in each",
            table(
                [
                    "size",
                    "objects",
                    "empty `up`",
                    "bare loop",
                    "our `up`",
                    "beyond the loop, in empty `up`s",
                    "rate against the loop",
                    "`kubectl apply` against ours",
                ],
                cases.map((each) => [
                    size(each),
                    thousands(fact(each, "objects")),
                    seconds(of(each, "empty")),
                    seconds(of(each, "bare")),
                    seconds(of(each, "up")),
                    figure(
                        pairwise((a, b, c) => (a! - b!) / c!, of(each, "up"), of(each, "bare"), of(each, "empty")),
                        "×",
                    ),
                    against(each, "upRate", "bareRate"),
                    of(each, "kubectl").length > 0 ? against(each, "kubectl", "up") : "",
                ]),
            ),
            "### Afterwards: against an empty `up`",
            table(
                [
                    "size",
                    "`up` of one resource",
                    "`up`, no change",
                    "`preview`",
                    "`refresh`",
                    "`destroy`",
                    "its rate against bare deletes",
                ],
                cases.map((each) => [
                    size(each),
                    against(each, "oneResource", "emptyAgain"),
                    against(each, "noop", "emptyAgain"),
                    against(each, "preview", "emptyAgain"),
                    against(each, "refresh", "emptyAgain"),
                    against(each, "destroy", "emptyAgain"),
                    against(each, "destroyRate", "bareDeleteRate"),
                ]),
            ),
            "### Calls, and state",
            "Lists at the busiest cluster (a page of 500 is a call) + writes in all clusters, counted at proxies.",
            table(
                [
                    "size",
                    "first `up`",
                    "`up`, no change",
                    "`preview`",
                    "`refresh`",
                    "`destroy`",
                    "state per peer: peer sets",
                    "everything",
                ],
                cases.map((each) => [
                    size(each),
                    ...["up", "noop", "preview", "refresh", "destroy"].map((operation) => calls(each, operation)),
                    `${short(fact(each, "peerSetBytes") / fact(each, "objects"))} bytes`,
                    `${short(fact(each, "stateBytes") / fact(each, "objects"))} bytes`,
                ]),
            ),
        ].join("\n\n"),
    naive: (cases) =>
        [
            "### One resource per peer: first `up`, one target",
            table(
                ["peers", "one resource per peer", "ours", "faster by", "its state per peer"],
                cases.map((each) => [
                    thousands(fact(each, "peers")),
                    seconds(of(each, "naive")),
                    seconds(of(each, "up")),
                    against(each, "naive", "up"),
                    `${short(fact(each, "stateBytes") / fact(each, "peers"))} bytes`,
                ]),
            ),
        ].join("\n\n"),
    hosts: (cases) =>
        [
            "### Who serves the resources: an `up` without changes, in empty `up`s",
            table(
                ["mesh", "dynamic host (TypeScript)", "plugin (every language)", "`up` with the plugin"],
                cases.map((each) => [
                    each.name,
                    against(each, "dynamic", "dynamicEmpty"),
                    against(each, "plugin", "pluginEmpty"),
                    seconds(of(each, "plugin")),
                ]),
            ),
        ].join("\n\n"),
    "one-node": (cases) =>
        [
            "### One node changed: clusters × nodes in each",
            table(
                ["mesh", "writes", "peers it has", "against an `up` without changes"],
                cases.map((each) => [
                    each.name,
                    figure(of(each, "writes")),
                    String(fact(each, "expectedWrites")),
                    against(each, "up", "noop"),
                ]),
            ),
        ].join("\n\n"),
    planning: (cases) =>
        [
            "### Planning alone: topology, clusters × nodes in each",
            "Best of several alternating rounds; the reference is `JSON.stringify` of the plan.",
            table(
                ["mesh", "peers", "planning", "against writing it down", "per peer"],
                cases.map((each) => [
                    each.name,
                    thousands(fact(each, "peers")),
                    seconds(of(each, "plan")),
                    against(each, "plan", "stringify"),
                    `${short(((of(each, "plan")[0] ?? 0) * 1000) / fact(each, "peers"))} µs`,
                ]),
            ),
        ].join("\n\n"),
    memory: (cases) =>
        [
            "### Peak memory over `up`, the same again, `preview`, `refresh` and `destroy`; all peers in one hub",
            table(
                ["peers", "engine", "program", "provider"],
                cases.map((each) => [
                    thousands(fact(each, "peers")),
                    ...["engine", "program", "provider"].map((process) => figure(of(each, process), " MB")),
                ]),
            ),
        ].join("\n\n"),
    fleet: fleetSection,
    watch: watchSection,
    "watch-requests": watchRequestsSection,
    "watch-idle": watchIdleSection,
    dead: (cases) =>
        [
            "### Dead clusters: they accept connections and say nothing",
            table(
                ["dead", "healthy `up`", "`up`", "beyond it, in timeouts"],
                cases.map((each) => [
                    each.name,
                    seconds(of(each, "healthy")),
                    seconds(of(each, "up")),
                    figure(
                        pairwise((a, b) => (a! - b!) / fact(each, "timeoutMs"), of(each, "up"), of(each, "healthy")),
                        "×",
                    ),
                ]),
            ),
        ].join("\n\n"),
};
