import { against, fact, of, seconds } from "../case-figures";
import type { Case } from "../results";
import { pairwise } from "../statistics";
import { figure, short, table, thousands } from "../table";
import { statePerCluster } from "./state-per-cluster";

const OPERATIONS = [
    ["up", "first `up`"],
    ["noop", "`up`, no change"],
    ["node", "a node joins a spoke"],
    ["spoke", "a spoke joins"],
    ["dead", "a spoke is dead"],
    ["refresh", "`refresh`"],
    ["destroy", "`destroy`"],
] as const;

const PROCESSES = ["Engine", "Program", "Provider", "Servers"] as const;

const kilobytes = (bytes: number): string => `${short(bytes / 1000)} kB`;

/** Whole fleets: what each operation takes, computes, asks for and keeps. */
export const fleetSection = (cases: readonly Case[]): string =>
    [
        "### Fleets: clusters × nodes in each, hub and spokes, or each with each (`full`); recorded in groups but where it says `ungrouped`",
        "API doubles with TLS in a process of their own, which answer after some milliseconds, and a few real API servers among them. The serial loop goes " +
            "from one cluster to the next with one request at a time; `kubectl apply` runs for sixteen clusters at once.",
        table(
            [
                "fleet",
                "real servers",
                "answers after",
                "objects",
                "empty `up`",
                "first `up`",
                "against the serial loop",
                "`kubectl apply` against ours",
                "no change: in empty `up`s",
                "a node joins: against no change",
                "a spoke joins",
                "a spoke is dead: beyond no change, in timeouts",
                "`refresh`: in empty `up`s",
                "`destroy`",
            ],
            cases.map((each) => [
                each.name,
                String(fact(each, "real")),
                `${fact(each, "delayMs")} ms`,
                thousands(fact(each, "objects")),
                seconds(of(each, "empty")),
                seconds(of(each, "up")),
                of(each, "serial").length > 0 ? against(each, "up", "serial") : "",
                of(each, "kubectl").length > 0 ? against(each, "kubectl", "up") : "",
                against(each, "noop", "empty"),
                against(each, "node", "noop"),
                against(each, "spoke", "noop"),
                figure(
                    pairwise((a, b) => (a! - b!) / fact(each, "timeoutMs"), of(each, "dead"), of(each, "noop")),
                    "×",
                ),
                against(each, "refresh", "empty"),
                against(each, "destroy", "empty"),
            ]),
        ),
        "Seconds computed by engine + program + host + servers:",
        table(
            ["fleet", "empty `up`", ...OPERATIONS.map(([, title]) => title)],
            cases.map((each) => [
                each.name,
                ...["empty", ...OPERATIONS.map(([name]) => name)].map((name) =>
                    PROCESSES.map((process) =>
                        figure(of(each, `${name}${process}`).map((milliseconds) => milliseconds / 1000)),
                    ).join(" + "),
                ),
            ]),
        ),
        "Lists at the busiest cluster + writes in all clusters; state; peak memory over all operations:",
        table(
            [
                "fleet",
                ...OPERATIONS.map(([, title]) => title),
                "state per cluster",
                "encrypted of it",
                "with kubeconfigs of 0.4 kB",
                "engine",
                "program",
                "host",
            ],
            cases.map((each) => [
                each.name,
                ...OPERATIONS.map(
                    ([name]) => `${fact(each, `${name}Lists`)} + ${thousands(fact(each, `${name}Writes`))}`,
                ),
                kilobytes(fact(each, "stateBytes") / fact(each, "clusters")),
                kilobytes(fact(each, "secretBytes") / fact(each, "clusters")),
                kilobytes(statePerCluster(each)),
                ...["engine", "program", "provider"].map((process) => figure(of(each, `${process}Peak`), " MB")),
            ]),
        ),
    ].join("\n\n");
