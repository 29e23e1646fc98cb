import { byText } from "../../values/show";

export interface GraphCluster {
    readonly name: string;
    /** Its own segments that are in the mesh. */
    readonly segments: number;
}

export interface GraphLink {
    readonly a: string;
    readonly b: string;
    /** Peers written into `b` for `a`, and into `a` for `b`. */
    readonly toB: number;
    readonly toA: number;
}

/** Mermaid draws no more than 500 edges; a larger mesh is drawn as spokes of one circle. */
const MOST_EDGES = 400;

/** Mermaid text of the mesh, in stable order. */
export function renderGraph(mesh: string, clusters: readonly GraphCluster[], links: readonly GraphLink[]): string {
    const sorted = [...clusters].sort((a, b) => byText(a.name, b.name));
    const id = new Map(sorted.map(({ name }, i) => [name, `c${i}`]));
    const shownClusters = sorted.slice(0, MOST_EDGES);
    const lines = ["flowchart LR", ...shownClusters.map((cluster) => `    ${node(id.get(cluster.name), cluster)}`)];
    const known = links.filter(({ a, b }) => id.has(a) && id.has(b));
    if (known.length <= MOST_EDGES) {
        const edges = [...known].sort((x, y) => byText(x.a, y.a) || byText(x.b, y.b));
        lines.push(...edges.map((link) => `    ${edge(id.get(link.a), id.get(link.b), link)}`));
    } else {
        lines.push(`    mesh(("${escaped(mesh)}: ${known.length} links"))`);
        const linked = new Set(known.flatMap(({ a, b }) => [a, b]));
        for (const { name } of shownClusters) if (linked.has(name)) lines.push(`    ${id.get(name)} --- mesh`);
    }
    if (sorted.length > MOST_EDGES) lines.push(`    more["and ${sorted.length - MOST_EDGES} more clusters"]`);
    return `${lines.join("\n")}\n`;
}

function node(id: string | undefined, { name, segments }: GraphCluster): string {
    return `${id}["${escaped(name)}<br/>${segments} ${segments === 1 ? "segment" : "segments"}"]`;
}

/** The arrow points to where the peers are written; a dotted line is a link over which nothing is written. */
function edge(a: string | undefined, b: string | undefined, { toA, toB }: GraphLink): string {
    if (toA > 0 && toB > 0) return `${a} <-->|${toA === toB ? toA : `"${toB} / ${toA}"`}| ${b}`;
    if (toB > 0) return `${a} -->|${toB}| ${b}`;
    return toA > 0 ? `${b} -->|${toA}| ${a}` : `${a} -.- ${b}`;
}

/** Entities for everything that is not plainly part of a name, so that no name can end its label. */
function escaped(text: string): string {
    return text.slice(0, 64).replace(/[^A-Za-z0-9 ._-]/gu, (char) => `#${char.codePointAt(0)};`);
}
