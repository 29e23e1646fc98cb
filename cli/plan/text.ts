import { count } from "../../provider/values/show";
import { clusterTable, issueLines, leftOutLines, troubleLines } from "../common-text";
import type { Colour } from "../render/paint";
import { table } from "../render/table";
import { cut, hanging, visible } from "../render/visible";
import type { Screen } from "../screen";
import type { Action, PlannedAction, PlanReport, TargetReport } from "./report";

const SIGNS: Readonly<Record<Action, readonly [string, Colour]>> = {
    create: ["+", "green"],
    change: ["~", "yellow"],
    delete: ["-", "red"],
    unchanged: ["=", "dim"],
    keep: ["=", "yellow"],
    unknown: ["?", "yellow"],
};

const NOTEWORTHY: ReadonlySet<Action> = new Set(["create", "change", "delete"]);

export function planText(report: PlanReport, screen: Screen, all: boolean): string[] {
    return [
        headline(report, screen),
        "",
        ...clusterTable(report.clusters, screen),
        ...report.targets.flatMap((target) => targetLines(target, screen, all)),
        ...leftOutLines(report.skipped, screen),
        ...issueLines(report.issues, screen),
        ...troubleLines(report.clusters, screen),
        "",
        ...capacityTable(report, screen),
        ...claimNote(report, screen),
    ];
}

function headline({ mesh, targets }: PlanReport, { paint }: Screen): string {
    const total = (action: Action): number => targets.reduce((sum, { counts }) => sum + counts[action], 0);
    const parts = [
        `${total("create")} to create`,
        `${total("change")} to change`,
        `${total("delete")} to delete`,
        `${total("unchanged")} unchanged`,
        ...(total("keep") > 0 ? [`${total("keep")} kept`] : []),
        ...(total("unknown") > 0 ? [`${total("unknown")} unknown`] : []),
    ];
    return `${paint("bold", `mesh ${mesh}`)}: ${parts.join(", ")}. Nothing was written.`;
}

function targetLines({ target, state, counts, peers }: TargetReport, screen: Screen, all: boolean): string[] {
    const { paint } = screen;
    const shown = peers.filter(({ action }) => all || NOTEWORTHY.has(action));
    const kept = peers.flatMap(({ action, why = "" }) => (action === "keep" ? [why] : []));
    const summary = [
        ...[...new Set(kept)].map((why) => {
            const same = kept.filter((each) => each === why).length;
            return `${paint("yellow", "=")} ${same} kept  ${paint("dim", visible(why))}`;
        }),
        ...(counts.unchanged === 0 ? [] : [paint("dim", `= ${counts.unchanged} unchanged`)]),
        ...(counts.unknown === 0 ? [] : [paint("yellow", `? ${counts.unknown} planned, cannot be compared`)]),
    ];
    const title = `in ${visible(target)}${state === "seen" ? "" : ` (${state})`}`;
    if (peers.length === 0) return ["", `${paint("bold", title)}: no peers`];
    return [
        ...["", paint("bold", title)],
        ...shown.flatMap((peer) => peerLines(peer, screen)),
        ...(all ? [] : summary.map((line) => `  ${line}`)),
    ];
}

function peerLines({ name, action, wanted, live, why }: PlannedAction, { paint, width }: Screen): string[] {
    const [sign, colour] = SIGNS[action];
    const title = `  ${paint(colour, sign)} ${visible(name)}${why === undefined ? "" : `  ${paint("dim", visible(why))}`}`;
    const detail = (label: string, line: string | undefined): string[] =>
        line === undefined ? [] : [cut(`      ${label}  ${visible(line)}`, width)];
    switch (action) {
        case "create":
        case "unknown":
            return [title, ...detail("plan", wanted)];
        case "change":
            return live === wanted ? [title] : [title, ...detail("now ", live), ...detail("plan", wanted)];
        default:
            return [title];
    }
}

function capacityTable({ capacity, targets }: PlanReport, screen: Screen): string[] {
    return table(
        [
            { title: "CAPACITY", flexible: true },
            { title: "PEERS", align: "right" },
            { title: "WIREGUARD PEERS PER NODE", align: "right" },
            { title: "CONFIGURATION PER NODE", align: "right" },
        ],
        targets.map(({ target }) => [
            target,
            String(capacity.peersPerTarget[target] ?? 0),
            String(capacity.wireguardPeersPerNode[target] ?? 0),
            `${((capacity.configBytesPerNode[target] ?? 0) / 1024).toFixed(1)} KiB`,
        ]),
        screen,
    );
}

/** Said once: the peers of an operator look like the mesh's own, but no stack would touch them unasked. */
function claimNote({ targets }: PlanReport, { width }: Screen): string[] {
    const unclaimed = targets.flatMap(({ peers }) => peers.filter((peer) => peer.unclaimed === true)).length;
    if (unclaimed === 0) return [];
    const note = `${count(unclaimed, "peer")} without the claim of a stack, from an operator or a lost state: pulumi up changes none of these unless adopt: true is set.`;
    return ["", ...hanging("", note, width)];
}
