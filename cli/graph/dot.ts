import type { LinkState } from "../status/report";
import { dotString } from "./escape";
import type { GraphEnd, GraphModel } from "./model";

const COLOURS: Readonly<Record<LinkState, string>> = {
    healthy: "#0f766e",
    "in place": "#1d4ed8",
    degraded: "#b45309",
    unknown: "#dc2626",
};
const STYLES: Readonly<Record<LinkState, string>> = {
    healthy: "solid",
    "in place": "dotted",
    degraded: "solid",
    unknown: "dashed",
};

/** The mesh in the DOT language: an arrow points at the cluster that holds the peers. */
export function dot({ mesh, summary, boxes, pairs }: GraphModel): string {
    const id = new Map(boxes.map(({ name }, i) => [name, `c${i}`]));
    const arrow = (from: GraphEnd, to: GraphEnd): string =>
        `    ${id.get(from.cluster)} -> ${id.get(to.cluster)} [label=${dotString([to.label])}, color="${COLOURS[to.state]}", fontcolor="${COLOURS[to.state]}", style=${STYLES[to.state]}];`;
    return [
        `digraph ${dotString([mesh])} {`,
        `    graph [label=${dotString([`mesh ${mesh}`, summary])}, labelloc=t, fontname="sans-serif", overlap=false, splines=true];`,
        '    node [shape=box, style="rounded,filled", fillcolor="#f8fafc", fontname="sans-serif"];',
        '    edge [fontname="sans-serif", fontsize=10];',
        ...boxes.map(
            ({ name, state, lines }) =>
                `    ${id.get(name)} [label=${dotString([name, ...lines])}, color="${COLOURS[state]}"${state === "unknown" ? ', style="rounded,filled,dashed"' : ""}];`,
        ),
        ...pairs.flatMap(({ a, b }) => [arrow(a, b), arrow(b, a)]),
        "}",
        "",
    ].join("\n");
}
