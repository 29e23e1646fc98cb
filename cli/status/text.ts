import type { PeerView } from "../assess";
import { clusterTable, leftOutLines, troubleLines } from "../common-text";
import { type Cell, table } from "../render/table";
import { counted, hanging, visible } from "../render/visible";
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
        ...troubleLines(report.clusters, screen),
        ...handshakeNote(report, screen),
    ];
}

function headline({ mesh, healthy, clusters, links }: StatusReport, { paint }: Screen): string {
    const name = paint("bold", `mesh ${mesh}`);
    const [links_, peers] = [counted(links.length, "one-way link"), counted(sum(links, "present"), "peer")];
    if (healthy)
        return `${name}: ${paint("green", "healthy")} · ${counted(clusters.length, "cluster")}, ${links_}, ${peers}`;
    const dead = clusters.filter(({ answers }) => !answers).length;
    const faults = [
        dead > 0 ? `${dead} of ${counted(clusters.length, "cluster")} cannot be read` : "",
        amount(sum(links, "drifted"), "drifted"),
        amount(sum(links, "missing"), "missing"),
        amount(sum(links, "extra"), "extra"),
    ].filter((text) => text !== "");
    const what = faults.length > 0 ? faults.join(", ") : "not every node is in the mesh";
    return `${name}: ${paint("red", "degraded")} · ${what}`;
}

const sum = (links: readonly LinkView[], field: "present" | "drifted" | "missing" | "extra"): number =>
    links.reduce((total, link) => total + (link[field] ?? 0), 0);

const amount = (count: number, word: string): string => (count === 0 ? "" : `${counted(count, "peer")} ${word}`);

const STATE_COLOUR = { healthy: "green", degraded: "red", unknown: "yellow" } as const satisfies Record<
    LinkState,
    string
>;

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

const faults = (count: number | undefined): Cell =>
    count === undefined
        ? { text: "?", colour: "yellow" }
        : { text: String(count), colour: count === 0 ? "dim" : "red" };

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

function peerLines(peers: readonly PeerView[], screen: Screen, all: boolean): string[] {
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
function keptTogether(peers: readonly PeerView[]): readonly PeerView[] {
    const groups = new Map<string, PeerView[]>();
    for (const peer of peers) {
        const group = peer.state === "kept" ? `${peer.target} ${peer.source} ${peer.why}` : peer.target + peer.name;
        groups.set(group, [...(groups.get(group) ?? []), peer]);
    }
    return [...groups.values()].map(([first, ...rest]) =>
        rest.length === 0 ? first! : { ...first!, name: `${rest.length + 1} peers of ${first!.source}` },
    );
}

function onePeer({ name, target, state, why, live, wanted }: PeerView, { paint, width }: Screen): string[] {
    const colour =
        state === "present" ? "green" : state === "moved" || state === "kept" || state === "unknown" ? "yellow" : "red";
    const reason = why ?? (state === "missing" ? "planned, but not there" : "");
    const lead = `  ${paint(colour, state.padEnd(8))} `;
    return [
        ...hanging(lead, visible(`${name} in ${target}${reason === "" ? "" : `: ${reason}`}`), width),
        ...(state === "drifted" || state === "moved"
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
