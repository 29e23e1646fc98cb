import { hasErrors } from "../../provider/mesh/report/findings";
import type { Issue, SkippedNode } from "../../provider/mesh/types";
import { byText } from "../../provider/values/show";
import type { Assessment, PeerState, PeerView } from "../assess";
import { type MemberView, members } from "../members";
import { type PeerLines, peerLines } from "../peer-lines";

/**
 * - `healthy`: all peers are there and as they should be · `degraded`: some are not, or a node is left out
 * - `unknown`: source or target could not be read
 */
export type LinkState = "healthy" | "degraded" | "unknown";

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
}

export interface StatusReport {
    readonly schemaVersion: 1;
    readonly command: "status";
    readonly mesh: string;
    readonly healthy: boolean;
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
        .flatMap(([target, sources]) =>
            sources.map((source) => linkView(assessment, source, target, onLink.get(`${source} ${target}`) ?? [])),
        );
    const clusters = members(assessment);
    return {
        schemaVersion: 1,
        command: "status",
        mesh: mesh.mesh,
        healthy:
            clusters.every(({ answers }) => answers) &&
            views.every(({ state }) => state === "healthy") &&
            !hasErrors(plan.issues),
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

function linkView({ plan, sight }: Assessment, source: string, target: string, onLink: readonly PeerView[]): LinkView {
    const count = (...states: readonly PeerState[]): number =>
        onLink.filter(({ state }) => states.includes(state)).length;
    const skipped = plan.skipped.filter((node) => node.cluster === source && (node.target ?? target) === target).length;
    const sourceAnswers = (sight.clusters[source]?.state ?? "seen") === "seen";
    const targetAnswers = sight.clusters[target]?.state === "seen";
    const wrong = skipped + count("drifted", "missing", "extra", "kept");
    return {
        source,
        target,
        state: sourceAnswers && targetAnswers ? (wrong === 0 ? "healthy" : "degraded") : "unknown",
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
    };
}

const bySourceThenTarget = (a: LinkView, b: LinkView): number =>
    byText(a.source, b.source) || byText(a.target, b.target);
