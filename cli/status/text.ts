import type { Issue } from "../../provider/mesh/types";
import { byText, count, few } from "../../provider/values/show";
import { clusterTable, issueLines, leftOutLines, troubleLines } from "../common-text";
import type { MemberView } from "../members";
import type { PeerLines } from "../peer-lines";
import type { Colour } from "../render/paint";
import { type Cell, table } from "../render/table";
import { hanging, visible } from "../render/visible";
import type { Screen } from "../screen";
import { meaningOfSeen } from "../seen-text";
import type { LinkState, LinkView, StatusReport } from "./report";

const MOST_PEERS = 20;

export function statusText(report: StatusReport, screen: Screen, all: boolean): string[] {
    return [
        headline(report, screen),
        "",
        ...clusterTable(report.clusters, screen),
        "",
        ...linkTable(report.links, screen),
        ...peerLines(report.peers, screen, all),
        ...silentLines(report, screen, all),
        ...staleLines(report, screen),
        ...leftOutLines(report.skipped, screen),
        ...issueLines(report.issues.filter(isError), screen),
        ...troubleLines(report.clusters, screen),
        ...meaningOfSeen(screen),
    ];
}

const isError = ({ severity }: Issue): boolean => severity === "error";

function headline(report: StatusReport, { paint }: Screen): string {
    const { mesh, healthy, inPlace, clusters, links, peers, skipped, issues } = report;
    const name = paint("bold", `mesh ${mesh}`);
    const members = count(clusters.length, "cluster");
    if (inPlace) {
        const state = healthy ? paint("green", "healthy") : paint("yellow", "in place");
        const stale = staleNodes(report).length;
        return [
            `${name}: ${state} · ${members}, ${count(links.length, "one-way link")}, ${count(sum(links, "present"), "peer")}`,
            tunnelsSeen(report),
            ...(stale === 0 ? [] : [`${count(stale, "node")} stale`]),
        ].join(", ");
    }
    const inState = (which: MemberView["state"]): number => clusters.filter(({ state }) => state === which).length;
    const faults: readonly (readonly [number, (n: number) => string])[] = [
        [inState("silent"), (n) => `${n} of ${members} silent`],
        [inState("unusable"), (n) => `${n} of ${members} unusable`],
        [sum(links, "drifted"), (n) => `${count(n, "peer")} drifted`],
        [sum(links, "missing"), (n) => `${count(n, "peer")} missing`],
        [sum(links, "extra"), (n) => `${count(n, "peer")} extra`],
        [peers.filter(({ state }) => state === "kept").length, (n) => `${count(n, "peer")} kept`],
        [skipped.length, (n) => `${count(n, "node")} left out`],
        [issues.filter((issue) => isError(issue) && issue.code !== "ClusterUnusable").length, (n) => count(n, "error")],
    ];
    const told = faults.flatMap(([n, words]) => (n === 0 ? [] : words(n)));
    return `${name}: ${paint("red", "degraded")} · ${told.join(", ")}`;
}

/** `16 of 18 tunnels seen`. */
export function tunnelsSeen({ links }: StatusReport): string {
    const found = links.flatMap((link) => link.tunnels ?? []);
    return `${add(found, ({ seen }) => seen)} of ${count(
        add(found, ({ total }) => total),
        "tunnel",
    )} seen`;
}

const add = <T>(items: readonly T[], value: (item: T) => number): number =>
    items.reduce((total, item) => total + value(item), 0);

const sum = (links: readonly LinkView[], field: "present" | "drifted" | "missing" | "extra"): number =>
    add(links, (link) => link[field] ?? 0);

const STATE_COLOUR: Readonly<Record<LinkState, Colour>> = {
    healthy: "green",
    "in place": "yellow",
    degraded: "red",
    unknown: "yellow",
};

function linkTable(links: readonly LinkView[], screen: Screen): string[] {
    return table(
        [
            { title: "LINK", flexible: true },
            { title: "STATE" },
            { title: "PEERS", align: "right" },
            { title: "DRIFTED", align: "right" },
            { title: "MISSING", align: "right" },
            { title: "EXTRA", align: "right" },
            { title: "TUNNELS" },
        ],
        links.map((link) => [
            `${link.source} → ${link.target}`,
            { text: link.state, colour: STATE_COLOUR[link.state] },
            `${link.present ?? "?"}/${link.expected ?? "?"}`,
            faults(link.drifted),
            faults(link.missing),
            faults(link.extra),
            tunnels(link),
        ]),
        screen,
    );
}

const faults = (peers: number | undefined): Cell =>
    peers === undefined
        ? { text: "?", colour: "yellow" }
        : { text: String(peers), colour: peers === 0 ? "dim" : "red" };

function tunnels({ present, tunnels: found }: LinkView): Cell {
    if (present === undefined) return { text: "?", colour: "yellow" };
    if (found === undefined) return { text: "-", colour: "dim" };
    const { state, seen, total } = found;
    return { text: `${state} ${seen}/${total}`, colour: state === "seen" ? "green" : "yellow" };
}

const QUIET: ReadonlySet<string> = new Set(["present", "unknown"]);

function peerLines(peers: readonly PeerLines[], screen: Screen, all: boolean): string[] {
    const shown = all ? peers : keptTogether(peers.filter(({ state }) => !QUIET.has(state)));
    if (shown.length === 0) return [];
    const few = all ? shown : shown.slice(0, MOST_PEERS);
    return [
        "",
        screen.paint("bold", "Peers"),
        ...few.flatMap((peer) => onePeer(peer, screen)),
        ...(shown.length > few.length ? [`  … and ${shown.length - few.length} more: use --all`] : []),
    ];
}

/** The peers that one target keeps for one reason are one line. */
function keptTogether(peers: readonly PeerLines[]): readonly PeerLines[] {
    const groups = new Map<string, PeerLines[]>();
    for (const peer of peers) {
        const group = peer.state === "kept" ? `${peer.target} ${peer.source} ${peer.why}` : peer.target + peer.name;
        groups.set(group, [...(groups.get(group) ?? []), peer]);
    }
    return [...groups.values()].map(([first, ...rest]) =>
        rest.length === 0 ? first! : { ...first!, name: `${rest.length + 1} peers of ${first!.source}` },
    );
}

function onePeer({ name, target, state, why, live, wanted }: PeerLines, { paint, width }: Screen): string[] {
    const colour =
        state === "present" ? "green" : state === "moved" || state === "kept" || state === "unknown" ? "yellow" : "red";
    const reason = why ?? (state === "missing" ? "planned, but not there" : "");
    const lead = `  ${paint(colour, state.padEnd(8))} `;
    return [
        ...hanging(lead, visible(`${name} in ${target}${reason === "" ? "" : `: ${reason}`}`), width),
        ...((state === "drifted" || state === "moved") && live !== wanted
            ? [`    is       ${visible(live ?? "")}`, `    planned  ${visible(wanted ?? "")}`]
            : []),
    ];
}

function silentLines({ links }: StatusReport, { paint, width }: Screen, all: boolean): string[] {
    const silent = links.flatMap((link) => silentOn(link).map((words) => [link, words] as const));
    if (silent.length === 0) return [];
    const shown = all ? silent : silent.slice(0, MOST_PEERS);
    return [
        "",
        paint("bold", "Tunnels not seen"),
        ...shown.flatMap(([{ source, target }, words]) =>
            hanging(`  ${paint("yellow", visible(`${source} → ${target}`))}  `, visible(words), width),
        ),
        ...(silent.length > shown.length ? [`  … and ${silent.length - shown.length} more: use --all`] : []),
    ];
}

/** The peers that the same nodes have not seen are one line. */
function silentOn({ target, tunnels: found }: LinkView): readonly string[] {
    if (found === undefined || found.state === "seen") return [];
    if (found.state === "not seen") return [`none: no node of ${target} had a handshake with any of its peers`];
    const groups = new Map<string, string[]>();
    for (const { peer, nodes } of found.silent) {
        const who = nodes === undefined ? `seen by no node of ${target}` : `not seen by ${few(nodes)}`;
        groups.set(who, [...(groups.get(who) ?? []), peer]);
    }
    return [...groups].map(([who, peers]) => `${few(peers)}: ${who}`);
}

const staleNodes = ({ links }: StatusReport): readonly string[] =>
    [...new Set(links.flatMap(({ stale }) => stale))].sort(byText);

function staleLines(report: StatusReport, { paint, width }: Screen): string[] {
    const nodes = staleNodes(report);
    if (nodes.length === 0) return [];
    const words = "not seen by Kilo for a minute or more; what is known of their tunnels is as old";
    return ["", paint("bold", "Stale nodes"), ...hanging("  ", visible(`${few(nodes, MOST_PEERS)}: ${words}`), width)];
}
