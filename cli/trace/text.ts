import type { Hop, Leg } from "../../provider/mesh/trace/types";
import type { Colour } from "../render/paint";
import { hanging, visible } from "../render/visible";
import type { Screen } from "../screen";
import { meaningOfSeen } from "../seen-text";
import type { PlaceView, TraceReport, Verdict } from "./report";

const VERDICTS: Readonly<Record<Verdict, readonly [string, Colour]>> = {
    seen: ["the objects route it there and back, and every tunnel on the way was seen", "green"],
    "not seen": ["the objects route it there and back, but a tunnel on the way was not seen by both ends", "yellow"],
    broken: ["it does not get there and back", "red"],
    unknown: ["it cannot be followed: a cluster could not be read", "yellow"],
};

export function traceText(report: TraceReport, screen: Screen): string[] {
    const { from, to, there, back, breaks, unread, next, verdict } = report;
    const { paint, width } = screen;
    const [words, colour] = VERDICTS[verdict];
    const way = from && to ? `${place(from)} → ${place(to)}` : `mesh ${report.mesh}`;
    return [
        ...hanging("", `${paint("bold", visible(way))}: ${paint(colour, words)}`, width),
        ...(there === undefined ? [] : legLines("There", there, screen)),
        ...(back === undefined ? [] : legLines("Back", back, screen)),
        ...(breaks === undefined
            ? []
            : [
                  "",
                  paint("bold", breaks.direction === "there" ? "Breaks on the way there" : "Breaks on the way back"),
                  ...hanging(
                      `  ${paint("red", breaks.code)}  `,
                      visible(`at ${breaks.at.cluster}/${breaks.at.node}: ${breaks.message}`),
                      width,
                  ),
              ]),
        ...(unread.length === 0 ? [] : ["", ...hanging("", visible(`Could not be read: ${unread.join(", ")}`), width)]),
        "",
        paint("bold", "Next"),
        `  ${visible(next)}`,
        ...meaningOfSeen(screen),
    ];
}

const place = ({ cluster, node, address }: PlaceView): string =>
    node === undefined ? `${cluster}/${address}` : `${cluster}/${node} (${address})`;

const legLines = (title: string, { hops }: Leg, screen: Screen): string[] => [
    "",
    screen.paint("bold", title),
    ...hops.flatMap((hop) => hopLines(hop, screen)),
];

const STEPS = {
    starts: "starts",
    leader: "leader: it has the tunnels of its location",
    neighbour: "neighbour, without a tunnel",
    arrives: "arrives",
} as const;

function hopLines(hop: Hop, { paint, width }: Screen): string[] {
    if (hop.kind !== "tunnel") return [`  ${visible(`${hop.cluster}/${hop.node}`)}  ${paint("dim", STEPS[hop.kind])}`];
    const { from, to, peer, network, endpoint, allowedIPs, accepted, seenBy } = hop;
    const rows: readonly (readonly [string, string])[] = [
        ["peer", peer === undefined ? `Kilo's own, ${network}` : `${peer} in ${from.cluster}, by ${network}`],
        ["endpoint", endpoint ?? `none: ${to.node} must dial`],
        ["allowed", allowedIPs.join(", ")],
        ["accepted", accepted === undefined ? "" : `${accepted} in ${to.cluster} covers the source`],
        ["seen", seers(from.node, to.node, seenBy)],
    ];
    return [
        `  ${visible(`${from.cluster}/${from.node} → ${to.cluster}/${to.node}`)}  ${paint("dim", "tunnel")}`,
        ...rows
            .filter(([, text]) => text !== "")
            .flatMap(([name, text]) => hanging(`      ${paint("dim", name.padEnd(8))}  `, visible(text), width)),
    ];
}

function seers(from: string, to: string, seenBy: { readonly from: boolean; readonly to: boolean }): string {
    if (seenBy.from && seenBy.to) return `by ${from} and ${to}`;
    if (!seenBy.from && !seenBy.to) return `by neither ${from} nor ${to}`;
    return seenBy.from ? `by ${from}, not by ${to}` : `by ${to}, not by ${from}`;
}
