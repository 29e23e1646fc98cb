import { count } from "../../provider/values/show";
import type { Colour } from "../render/paint";
import { hanging, visible } from "../render/visible";
import type { Screen } from "../screen";
import type { PeerEntry } from "./judge";
import type { OfferedPeer, Outcome, SweepReport } from "./report";

const MOST_PEERS = 20;

/** What was found, before anybody is asked. */
export function foundText(report: SweepReport, screen: Screen, all: boolean): string[] {
    const { of, offered, others, clusters, unread } = report;
    const total = offered.length + others.length;
    return [
        `${screen.paint("bold", visible(of))}: ${offered.length} of ${count(total, "peer")} in ${count(clusters.length, "cluster")} left over`,
        ...section("Left over: these are offered", offered, screen, offered.length, line("red")),
        ...section("Never offered", others, screen, all ? others.length : MOST_PEERS, line("dim")),
        ...(unread.length === 0
            ? []
            : [
                  "",
                  screen.paint("bold", "Not read: what they have is not known"),
                  ...unread.flatMap(({ name, message, fix }) =>
                      hanging(`  ${screen.paint("red", visible(name))}  `, visible(`${message}. ${fix}`), screen.width),
                  ),
              ]),
    ];
}

/** What became of those that were deleted, or were to be. */
export function outcomeText({ offered }: SweepReport, screen: Screen): string[] {
    const deleted = offered.filter(({ outcome }) => outcome?.result === "deleted").length;
    const shown = offered.filter(({ outcome }) => outcome !== undefined);
    const rest = shown.filter(({ outcome }) => outcome!.result !== "deleted");
    return [
        "",
        `${count(deleted, "peer")} deleted`,
        ...rest.flatMap(({ cluster, name, outcome }) =>
            hanging(
                `  ${screen.paint(OUTCOME_COLOURS[outcome!.result], outcome!.result)}  `,
                visible(`${name} in ${cluster}${"why" in outcome! ? `: ${outcome.why}` : ""}`),
                screen.width,
            ),
        ),
    ];
}

const OUTCOME_COLOURS: Readonly<Record<Outcome["result"], Colour>> = {
    deleted: "green",
    gone: "green",
    "left alone": "yellow",
    terminating: "yellow",
    failed: "red",
};

function section<T extends PeerEntry | OfferedPeer>(
    title: string,
    peers: readonly T[],
    screen: Screen,
    most: number,
    lines: (peer: T, screen: Screen) => string[],
): string[] {
    if (peers.length === 0) return [];
    const shown = peers.slice(0, most);
    return [
        "",
        screen.paint("bold", title),
        ...shown.flatMap((peer) => lines(peer, screen)),
        ...(peers.length > shown.length ? [`  … and ${peers.length - shown.length} more: use --all`] : []),
    ];
}

const line =
    (colour: Colour) =>
    ({ cluster, name, why, owner }: PeerEntry, { paint, width }: Screen): string[] => {
        const says = owner === undefined ? "" : `; by its annotation of ${owner}`;
        return hanging(`  ${paint(colour, visible(`${name} in ${cluster}`))}  `, visible(`${why}${says}`), width);
    };
