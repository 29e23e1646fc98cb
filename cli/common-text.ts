import type { SkippedNode } from "../provider/mesh/types";
import { KIND_WORDS, type MemberView } from "./members";
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
                      { text: "answers", colour: "green" },
                      String(cluster.nodes),
                      { text: String(cluster.skipped), colour: cluster.skipped === 0 ? "dim" : "red" },
                      cluster.granularity,
                  ]
                : [cluster.name, { text: KIND_WORDS[cluster.kind], colour: "red" }, "?", "?", "?"],
        ),
        screen,
    );
}

/** Why clusters could not be read, and what to do. */
export function troubleLines(clusters: readonly MemberView[], { paint, width }: Screen): string[] {
    const dead = clusters.filter((cluster) => !cluster.answers);
    if (dead.length === 0) return [];
    return [
        "",
        paint("bold", "Cannot be read"),
        ...dead.flatMap(({ name, message, fix }) => [
            ...hanging(`  ${paint("red", visible(name))}  `, visible(message), width),
            ...hanging(`  ${" ".repeat(name.length)}  `, visible(fix), width),
        ]),
    ];
}

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
