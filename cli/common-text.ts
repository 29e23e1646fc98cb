import type { Issue, Severity, SkippedNode } from "../provider/mesh/types";
import { KIND_WORDS, type MemberView } from "./members";
import type { Colour } from "./render/paint";
import { table } from "./render/table";
import { hanging, visible } from "./render/visible";
import type { Screen } from "./screen";

export function clusterTable(clusters: readonly MemberView[], screen: Screen): string[] {
    return table(
        [
            { title: "CLUSTER", flexible: true },
            { title: "STATE" },
            { title: "NODES", align: "right" },
            { title: "LEFT OUT", align: "right" },
            { title: "GRANULARITY" },
        ],
        clusters.map((cluster) =>
            cluster.answers
                ? [
                      cluster.name,
                      { text: cluster.state, colour: "green" },
                      String(cluster.nodes),
                      { text: String(cluster.skipped), colour: cluster.skipped === 0 ? "dim" : "red" },
                      cluster.granularity,
                  ]
                : [
                      cluster.name,
                      { text: `${cluster.state}: ${KIND_WORDS[cluster.kind]}`, colour: "red" },
                      "?",
                      "?",
                      "?",
                  ],
        ),
        screen,
    );
}

/** Why clusters could not be read, and what to do. */
export function troubleLines(clusters: readonly MemberView[], { paint, width }: Screen): string[] {
    return (["silent", "unusable"] as const).flatMap((state) => {
        const found = clusters.flatMap((cluster) => (cluster.state === state ? [cluster] : []));
        if (found.length === 0) return [];
        return [
            "",
            paint("bold", TROUBLE[state]),
            ...found.flatMap(({ name, message, fix }) => [
                ...hanging(`  ${paint("red", visible(name))}  `, visible(message), width),
                ...hanging(`  ${" ".repeat(name.length)}  `, visible(fix), width),
            ]),
        ];
    });
}

const TROUBLE = {
    silent: "Silent: no answer, its peers are kept",
    unusable: "Unusable: someone must act, its peers are kept",
} as const;

export function leftOutLines(skipped: readonly SkippedNode[], { paint, width }: Screen): string[] {
    if (skipped.length === 0) return [];
    return [
        "",
        paint("bold", "Nodes left out"),
        ...skipped.flatMap(({ cluster, node, reason, message, target }) =>
            hanging(
                `  ${paint("red", visible(`${cluster}/${node}`))}  `,
                visible(`${target === undefined ? "" : `in ${target}: `}${reason}: ${message}`),
                width,
            ),
        ),
    ];
}

/** The text has these elsewhere: the clusters with their failures, and how many peers are kept. */
const TOLD: ReadonlySet<string> = new Set(["ClusterSilent", "ClusterUnusable", "SourceKept"]);
const COLOURS: Readonly<Record<Severity, Colour>> = { error: "red", warning: "yellow", info: "cyan" };

export function issueLines(issues: readonly Issue[], { paint, width }: Screen): string[] {
    const shown = issues.filter(({ code }) => !TOLD.has(code));
    if (shown.length === 0) return [];
    return [
        "",
        paint("bold", "Issues"),
        ...shown.flatMap(({ code, severity, message, fix }) =>
            hanging(`  ${paint(COLOURS[severity], severity)}  `, visible(`${code}: ${message}. ${fix}`), width),
        ),
    ];
}
