import type { LinkState } from "../status/report";
import { xml } from "./escape";
import { between, edgeOf, layout, type Placed, type Point, type Size } from "./layout";
import type { GraphBox, GraphEnd, GraphModel, GraphPair } from "./model";
import { classOf, STYLE } from "./svg-style";

interface Look {
    readonly box: Size;
    readonly gap: Size;
    readonly name: number;
    readonly small: number;
    /** Says on each link how many peers it has. */
    readonly labels: boolean;
}

const MARGIN = 32;
const HEADER = 64;
const FOOTER = 44;
const SMALLEST = 740;
/** Beyond this many labels cover each other; the boxes still say how many peers there are. */
const MOST_LABELLED = 15;
/** From the end of a link: near enough to see whose it is, far enough to leave its arrow free. */
const PILL_DISTANCE = 60;

function lookFor({ boxes, pairs }: GraphModel): Look {
    const labels = pairs.length <= MOST_LABELLED;
    if (boxes.length <= 8) {
        return { box: { width: 178, height: 78 }, gap: { width: 210, height: 84 }, name: 16, small: 12, labels };
    }
    return { box: { width: 132, height: 56 }, gap: { width: 22, height: 20 }, name: 13, small: 10.5, labels: false };
}

/** A picture of the mesh that needs nothing else: no script, no font, no link. */
export function svg(model: GraphModel): string {
    const look = lookFor(model);
    const hubs = model.boxes.filter(({ isHub }) => isHub);
    const central = hubs.length < model.boxes.length ? hubs : [];
    const placed = layout(
        model.boxes.filter((box) => !central.includes(box)),
        central,
        look.box,
        look.gap,
    );
    const [xs, ys] = [placed.map(({ x }) => x), placed.map(({ y }) => y)];
    const width = Math.max(SMALLEST, Math.max(...xs) - Math.min(...xs) + look.box.width + 2 * MARGIN);
    const height = Math.max(...ys) - Math.min(...ys) + look.box.height + HEADER + FOOTER + MARGIN;
    const shift: Point = {
        x: width / 2 - (Math.max(...xs) + Math.min(...xs)) / 2,
        y: HEADER + look.box.height / 2 - Math.min(...ys),
    };
    const centred = placed.map(({ item, x, y }) => ({ item, x: x + shift.x, y: y + shift.y }));
    const at = new Map(centred.map((box) => [box.item.name, box]));
    const title = `mesh ${model.mesh}`;
    return [
        `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" role="img" aria-label="${xml(`${title}: ${model.summary}`)}">`,
        `<title>${xml(title)}</title><style>${STYLE}</style>`,
        `<defs>${STATES.map(arrowHead).join("")}</defs>`,
        `<rect class="page" x="0.5" y="0.5" width="${n(width - 1)}" height="${n(height - 1)}" rx="14"/>`,
        text(title, { x: MARGIN, y: 32 }, "ink name", 17),
        text(model.summary, { x: MARGIN, y: 51 }, "faint", 12),
        `<g class="${look.labels ? "links" : "links thin"}">${model.pairs.map((pair) => line(pair, at, look)).join("")}</g>`,
        ...centred.map((box) => drawBox(box, look)),
        look.labels ? model.pairs.map((pair) => pills(pair, at, look)).join("") : "",
        legend(height - FOOTER / 2 + 2, look.labels),
        "</svg>",
        "",
    ].join("\n");
}

const STATES: readonly LinkState[] = ["healthy", "in place", "degraded", "unknown"];

const arrowHead = (state: LinkState): string =>
    `<marker id="head-${classOf(state)}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="fill-${classOf(state)}" d="M0 0.6 8 4 0 7.4z"/></marker>`;

type Places = ReadonlyMap<string, Placed<GraphBox>>;

/** Both halves of a link, each in the colour of the peers at its end. */
function line({ a, b }: GraphPair, at: Places, look: Look): string {
    const [from, to] = ends(a, b, at, look);
    const middle = between(from, to, 0.5);
    return half(middle, from, a, look) + half(middle, to, b, look);
}

/** Where links are many, only those that need attention have an arrow. */
function half(middle: Point, end: Point, { state }: GraphEnd, { labels }: Look): string {
    const arrow = labels || state !== "healthy" ? ` marker-end="url(#head-${classOf(state)})"` : "";
    return `<path class="link ${classOf(state)}" d="M${n(middle.x)} ${n(middle.y)} ${n(end.x)} ${n(end.y)}"${arrow}/>`;
}

function ends(a: GraphEnd, b: GraphEnd, at: Places, { box }: Look): readonly [Point, Point] {
    const [from, to] = [at.get(a.cluster)!, at.get(b.cluster)!];
    return [edgeOf(from, to, box, 5), edgeOf(to, from, box, 5)];
}

/** At each end, how many peers of the other cluster are there. */
function pills({ a, b }: GraphPair, at: Places, look: Look): string {
    const [from, to] = ends(a, b, at, look);
    const near = Math.min(PILL_DISTANCE / Math.hypot(to.x - from.x, to.y - from.y), 0.27);
    return pill(between(from, to, near), a) + pill(between(from, to, 1 - near), b);
}

function pill({ x, y }: Point, { label, state }: GraphEnd): string {
    const width = label.length * 6.2 + 16;
    return (
        `<rect class="pill ${classOf(state)}" x="${n(x - width / 2)}" y="${n(y - 9.5)}" width="${n(width)}" height="19" rx="9.5"/>` +
        text(label, { x, y: y + 3.8 }, `fill-${classOf(state)}`, 11, "middle")
    );
}

function drawBox({ item, x, y }: Placed<GraphBox>, { box, name, small }: Look): string {
    const [left, top] = [x - box.width / 2, y - box.height / 2];
    const full = [item.name, ...item.lines].join(", ");
    const room = box.width - 36;
    const rows = [item.name, ...item.lines.slice(0, box.height > 60 ? 2 : 1)];
    const leading = small * 1.5;
    const first = y - ((rows.length - 1) * leading) / 2 + name * 0.3;
    return [
        `<g><title>${xml(full)}</title>`,
        `<rect class="box ${classOf(item.state)}" x="${n(left)}" y="${n(top)}" width="${n(box.width)}" height="${n(box.height)}" rx="10"/>`,
        `<circle class="fill-${classOf(item.state)}" cx="${n(left + 16)}" cy="${n(first - name * 0.33)}" r="4.5"/>`,
        ...rows.map((row, i) =>
            text(
                short(row, room, i === 0 ? name : small),
                { x: left + 28, y: first + i * leading + (i > 0 ? 2 : 0) },
                i === 0 ? "ink name" : item.state === "unknown" ? "fill-unknown" : "faint",
                i === 0 ? name : small,
            ),
        ),
        "</g>",
    ].join("");
}

function legend(y: number, labels: boolean): string {
    const entries: readonly (readonly [LinkState, string])[] = [
        ["healthy", "in place and seen"],
        ["in place", "in place, not all seen"],
        ["degraded", "missing or changed"],
        ["unknown", "cannot be read"],
    ];
    let x = MARGIN;
    const drawn = entries.map(([state, words]) => {
        const start = x;
        x += 48 + words.length * 6.4;
        return `<path class="link ${classOf(state)}" d="M${start} ${y} ${start + 22} ${y}" marker-end="url(#head-${classOf(state)})"/>${text(words, { x: start + 30, y: y + 4 }, "faint", 11)}`;
    });
    const note = labels ? text("→ points at the cluster that holds the peers", { x, y: y + 4 }, "faint", 11) : "";
    return drawn.join("") + note;
}

function text(words: string, { x, y }: Point, classes: string, size: number, anchor?: "middle"): string {
    const placed = anchor === undefined ? "" : ` text-anchor="${anchor}"`;
    return `<text class="${classes}" x="${n(x)}" y="${n(y)}" font-size="${size}"${placed}>${xml(words)}</text>`;
}

/** Widths are estimated: there is no font here to measure. */
function short(words: string, room: number, size: number): string {
    const most = Math.floor(room / (size * 0.57));
    const letters = [...words];
    return letters.length <= most ? words : `${letters.slice(0, most - 1).join("")}…`;
}

/** Numbers without noise: the same mesh gives the same bytes. */
const n = (value: number): string => String(Math.round(value * 10) / 10);
