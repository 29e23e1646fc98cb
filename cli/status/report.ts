import { hasErrors } from "../../provider/mesh/report/findings";
import type { Issue, SkippedNode } from "../../provider/mesh/types";
import { byText } from "../../provider/values/show";
import type { Assessment, PeerState, PeerView } from "../assess";
import { type MemberView, members } from "../members";
import { type PeerLines, peerLines } from "../peer-lines";
import type { Sight } from "../sight";
import { type TunnelsOf, type TunnelsView, tunnelsInto } from "./tunnels";

/**
 * - `healthy`: all peers are there and as they should be, all their tunnels were seen, and no node is stale
 * - `in place`: all peers are there and as they should be; that they work, nothing says
 * - `degraded`: some are not, or a node is left out · `unknown`: source or target could not be read
 */
export type LinkState = "healthy" | "in place" | "degraded" | "unknown";

export interface LinkView {
    readonly source: string;
    readonly target: string;
    readonly state: LinkState;
    /** Absent where the source could not be read. */
    readonly expected?: number;
    /** This and what follows: absent where the target could not be read. */
    readonly present?: number;
    readonly drifted?: number;
    readonly missing?: number;
    readonly extra?: number;
    /** Nodes of the source that are left out here. */
    readonly skipped: number;
    /** Of the peers that are there, how many the target's nodes had a handshake with since they last reconfigured. */
    readonly handshakes?: number;
    /** Absent where no peer is there, too. */
    readonly tunnels?: TunnelsView;
    /** Nodes of both clusters, as `cluster/node`, that Kilo has not seen for a minute. */
    readonly stale: readonly string[];
}

export interface StatusReport {
    readonly schemaVersion: 1;
    readonly command: "status";
    readonly mesh: string;
    /** In place, and all links are healthy. */
    readonly healthy: boolean;
    /** Every cluster could be read, every peer is there and as it should be. */
    readonly inPlace: boolean;
    readonly clusters: readonly MemberView[];
    readonly links: readonly LinkView[];
    readonly peers: readonly PeerLines[];
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
}

export function statusReport(assessment: Assessment, onlyTarget?: string): StatusReport {
    const { mesh, links, plan } = assessment;
    const isShown = (target: string | undefined): boolean =>
        onlyTarget === undefined || target === undefined || target === onlyTarget;
    const onLink = byLink(assessment.peers);
    const views = Object.entries(links)
        .filter(([target]) => isShown(target))
        .flatMap(([target, sources]) => {
            const seen = assessment.sight.clusters[target];
            const tunnels = seen?.state === "seen" ? tunnelsInto(seen, target, assessment) : undefined;
            return sources.map((source) =>
                linkView(assessment, { source, target, tunnels }, onLink.get(`${source} ${target}`) ?? []),
            );
        });
    const clusters = members(assessment);
    const inPlace =
        clusters.every(({ answers }) => answers) &&
        views.every(({ state }) => state === "healthy" || state === "in place") &&
        !hasErrors(plan.issues);
    return {
        schemaVersion: 1,
        command: "status",
        mesh: mesh.mesh,
        healthy: inPlace && views.every(({ state }) => state === "healthy"),
        inPlace,
        clusters,
        links: views.sort(bySourceThenTarget),
        peers: assessment.peers.filter(({ target }) => isShown(target)).map(peerLines),
        skipped: plan.skipped.filter(({ target }) => isShown(target)),
        issues: plan.issues,
    };
}

function byLink(peers: readonly PeerView[]): ReadonlyMap<string, readonly PeerView[]> {
    const groups = new Map<string, PeerView[]>();
    for (const peer of peers) {
        const link = `${peer.source} ${peer.target}`;
        const group = groups.get(link);
        if (group === undefined) groups.set(link, [peer]);
        else group.push(peer);
    }
    return groups;
}

interface Link {
    readonly source: string;
    readonly target: string;
    readonly tunnels: TunnelsOf | undefined;
}

function linkView({ plan, sight }: Assessment, link: Link, onLink: readonly PeerView[]): LinkView {
    const { source, target } = link;
    const count = (...states: readonly PeerState[]): number =>
        onLink.filter(({ state }) => states.includes(state)).length;
    const skipped = plan.skipped.filter((node) => node.cluster === source && (node.target ?? target) === target).length;
    const sourceAnswers = (sight.clusters[source]?.state ?? "seen") === "seen";
    const targetAnswers = sight.clusters[target]?.state === "seen";
    const wrong = skipped + count("drifted", "missing", "extra", "kept");
    const tunnels = link.tunnels?.(source, onLink);
    const stale = [source, target].flatMap((cluster) => staleIn(sight, cluster));
    const works = stale.length === 0 && (tunnels === undefined || tunnels.state === "seen");
    return {
        source,
        target,
        state: !(sourceAnswers && targetAnswers) ? "unknown" : wrong > 0 ? "degraded" : works ? "healthy" : "in place",
        ...(sourceAnswers ? { expected: onLink.filter(({ wanted }) => wanted !== undefined).length } : {}),
        ...(targetAnswers
            ? {
                  present: onLink.filter(({ live }) => live !== undefined).length,
                  drifted: count("drifted"),
                  missing: count("missing"),
                  extra: count("extra"),
                  handshakes: onLink.filter(({ handshake }) => handshake).length,
              }
            : {}),
        skipped,
        ...(tunnels === undefined ? {} : { tunnels }),
        stale,
    };
}

function staleIn({ clusters }: Sight, cluster: string): readonly string[] {
    const seen = clusters[cluster];
    if (seen?.state !== "seen") return [];
    return seen.nodes.filter(({ stale }) => stale === true).map(({ name }) => `${cluster}/${name}`);
}

/** Nothing more to wait for: every tunnel of every link was seen. */
export const allSeen = ({ links }: StatusReport): boolean =>
    links.every(({ present, tunnels }) => present !== undefined && (tunnels?.state ?? "seen") === "seen");

const bySourceThenTarget = (a: LinkView, b: LinkView): number =>
    byText(a.source, b.source) || byText(a.target, b.target);
