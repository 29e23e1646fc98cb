import { count } from "../../provider/values/show";
import type { Assessment } from "../assess";
import { KIND_WORDS, type MemberView } from "../members";
import { type LinkState, type LinkView, statusReport } from "../status/report";

export interface GraphBox {
    readonly name: string;
    readonly state: LinkState;
    readonly member: MemberView["state"];
    /** One or two short lines under the name. */
    readonly lines: readonly string[];
    readonly isHub: boolean;
}

/** One direction of a link: the peers of the other cluster in this one. */
export interface GraphEnd {
    readonly cluster: string;
    readonly state: LinkState;
    /** `3 peers`, `3 peers, 2/9 seen`, `2 of 3`, `?`. */
    readonly label: string;
}

export interface GraphPair {
    readonly a: GraphEnd;
    readonly b: GraphEnd;
}

export interface GraphModel {
    readonly mesh: string;
    readonly summary: string;
    /** In the order of the mesh file. */
    readonly boxes: readonly GraphBox[];
    readonly pairs: readonly GraphPair[];
}

/** What there is to draw, for every format. */
export function graphModel(assessment: Assessment): GraphModel {
    const { mesh } = assessment;
    const { clusters, links } = statusReport(assessment);
    const byDirection = new Map(links.map((link) => [`${link.source} ${link.target}`, link]));
    const hubs = new Set(mesh.topology?.hubs ?? []);
    const boxes = clusters.map((cluster): GraphBox => {
        const incoming = links.filter(({ target }) => target === cluster.name);
        return {
            name: cluster.name,
            isHub: hubs.has(cluster.name),
            member: cluster.state,
            state: !cluster.answers
                ? "unknown"
                : incoming.some(({ state }) => state === "degraded") || cluster.skipped > 0
                  ? "degraded"
                  : incoming.some(({ state }) => state === "in place")
                    ? "in place"
                    : "healthy",
            lines: cluster.answers
                ? [`${count(cluster.nodes, "node")} · ${cluster.granularity}`, peersHere(incoming)]
                : [cluster.state, KIND_WORDS[cluster.kind]],
        };
    });
    const pairs = links.flatMap(({ source, target }): GraphPair[] => {
        const back = byDirection.get(`${target} ${source}`);
        const there = byDirection.get(`${source} ${target}`);
        if (source > target || back === undefined || there === undefined) return [];
        return [{ a: endOf(back), b: endOf(there) }];
    });
    const peers = links.reduce((sum, { present }) => sum + (present ?? 0), 0);
    const summary = [
        count(clusters.length, "cluster"),
        count(pairs.length, "link"),
        `${count(peers, "peer")} in place`,
    ].join(" · ");
    return { mesh: mesh.mesh, summary, boxes, pairs };
}

function peersHere(incoming: readonly LinkView[]): string {
    const present = incoming.reduce((sum, link) => sum + (link.present ?? 0), 0);
    const missing = incoming.reduce((sum, link) => sum + (link.missing ?? 0), 0);
    return missing === 0 ? count(present, "peer") : `${count(present, "peer")}, ${missing} missing`;
}

const endOf = (link: LinkView): GraphEnd => ({
    cluster: link.target,
    state: link.state,
    label: `${peersOn(link)}${tunnelsOn(link)}`,
});

function peersOn({ expected, present }: LinkView): string {
    if (present === undefined) return "?";
    return expected === undefined || expected === present ? count(present, "peer") : `${present} of ${expected}`;
}

function tunnelsOn({ tunnels }: LinkView): string {
    if (tunnels === undefined || tunnels.state === "seen") return "";
    return tunnels.state === "not seen" ? ", not seen" : `, ${tunnels.seen}/${tunnels.total} seen`;
}
