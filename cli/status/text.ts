import type { Issue } from "../../provider/mesh/types";
import { count } from "../../provider/values/show";
import { clusterTable, issueLines, leftOutLines, troubleLines } from "../common-text";
import type { MemberView } from "../members";
import type { PeerLines } from "../peer-lines";
import type { Colour } from "../render/paint";
import { type Cell, table } from "../render/table";
import { hanging, visible } from "../render/visible";
import type { Screen } from "../screen";
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
        ...leftOutLines(report.skipped, screen),
        ...issueLines(report.issues.filter(isError), screen),
        ...troubleLines(report.clusters, screen),
        ...handshakeNote(report, screen),
    ];
}

const isError = ({ severity }: Issue): boolean => severity === "error";

function headline({ mesh, healthy, clusters, links, peers, skipped, issues }: StatusReport, { paint }: Screen): string {
    const name = paint("bold", `mesh ${mesh}`);
    const members = count(clusters.length, "cluster");
    if (healthy) {
        const present = count(sum(links, "present"), "peer");
        return `${name}: ${paint("green", "healthy")} · ${members}, ${count(links.length, "one-way link")}, ${present}`;
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

const sum = (links: readonly LinkView[], field: "present" | "drifted" | "missing" | "extra"): number =>
    links.reduce((total, link) => total + (link[field] ?? 0), 0);

const STATE_COLOUR: Readonly<Record<LinkState, Colour>> = { healthy: "green", degraded: "red", unknown: "yellow" };

function linkTable(links: readonly LinkView[], screen: Screen): string[] {
    return table(
        [
            { title: "LINK", flexible: true },
            { title: "STATE" },
            { title: "PEERS", align: "right" },
            { title: "DRIFTED", align: "right" },
            { title: "MISSING", align: "right" },
            { title: "EXTRA", align: "right" },
            { title: "HANDSHAKES" },
        ],
        links.map((link) => [
            `${link.source} → ${link.target}`,
            { text: link.state, colour: STATE_COLOUR[link.state] },
            `${link.present ?? "?"}/${link.expected ?? "?"}`,
            faults(link.drifted),
            faults(link.missing),
            faults(link.extra),
            handshakes(link),
        ]),
        screen,
    );
}

const faults = (peers: number | undefined): Cell =>
    peers === undefined
        ? { text: "?", colour: "yellow" }
        : { text: String(peers), colour: peers === 0 ? "dim" : "red" };

function handshakes({ handshakes: seen, present }: LinkView): Cell {
    if (seen === undefined || present === undefined) return { text: "?", colour: "yellow" };
    if (present === 0) return { text: "-", colour: "dim" };
    if (seen === 0) return { text: "not seen yet", colour: "yellow" };
    return {
        text: seen === present ? "seen" : `seen with ${seen} of ${present}`,
        colour: seen === present ? "green" : "yellow",
    };
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

function handshakeNote({ links }: StatusReport, { paint, width }: Screen): string[] {
    if (!links.some(({ handshakes: seen, present }) => seen !== undefined && present !== undefined && seen < present))
        return [];
    return [
        "",
        ...hanging(
            "",
            "Handshakes are what the target's nodes report, within a minute of traffic. Kilo forgets them whenever it reconfigures WireGuard, so “not seen yet” alone proves nothing: send a ping between pods and look again.",
            width,
        ).map((line) => paint("dim", line)),
    ];
}
