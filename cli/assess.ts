import { readDiscovered } from "../provider/kilo/observations";
import { readNodes } from "../provider/kilo/read-nodes";
import type { NodeFacts } from "../provider/kilo/types";
import { linkedPairs } from "../provider/mesh/args/topology";
import { planFromFacts } from "../provider/mesh/plan/plan";
import type { FactsPlan, MeshSpec, PlannedPeer } from "../provider/mesh/types";
import { encodePeer, lineOfLive } from "../provider/state/peer-text";
import { MESH_LABEL, SOURCE_LABEL } from "../provider/values/labels";
import { asOwned, type MeshPeer, meshPeers, STAND_IN_CLAIM } from "./ownership";
import type { ClusterSight, Sight } from "./sight";
import { whyExtra, whyKept } from "./why-unplanned";

/**
 * - `present`: as planned · `moved`: as planned but for an endpoint that the target observed since
 * - `drifted`: differs · `missing` · `extra`: not planned any more
 * - `kept`: not planned only because its source cannot be seen at the moment · `unknown`: its target does not answer
 */
export type PeerState = "present" | "moved" | "drifted" | "missing" | "extra" | "kept" | "unknown";

/** One peer: what should be there against what is. */
export interface PeerView {
    readonly name: string;
    readonly source: string;
    readonly target: string;
    readonly state: PeerState;
    /** One line each, see `encodePeer`. */
    readonly wanted?: string;
    readonly live?: string;
    readonly why?: string;
    /** The target's nodes saw a handshake with its key. */
    readonly handshake: boolean;
    /** A live peer without the claim of any stack: `up` leaves it alone unless `adopt` is set. */
    readonly unclaimed?: boolean;
}

/** Everything the commands tell, from one look at the clusters. */
export interface Assessment {
    readonly mesh: MeshSpec;
    readonly sight: Sight;
    readonly facts: Readonly<Record<string, readonly NodeFacts[]>>;
    readonly plan: FactsPlan;
    /** The sources of each target; a source that is not in the mesh file has left peers behind. */
    readonly links: Readonly<Record<string, readonly string[]>>;
    /** Of all targets, by target and name. */
    readonly peers: readonly PeerView[];
    /** The live peers of the mesh, per target. */
    readonly own: Readonly<Record<string, ReadonlyMap<string, MeshPeer>>>;
}

export function assess(mesh: MeshSpec, sight: Sight): Assessment {
    const names = mesh.clusters.map(({ name }) => name).sort();
    const seen = (name: string): ClusterSight => sight.clusters[name]!;
    const each = <T>(read: (sight: Extract<ClusterSight, { answers: true }>, name: string) => T): Record<string, T> =>
        Object.fromEntries(
            names.flatMap((name) => {
                const cluster = seen(name);
                return cluster.answers ? [[name, read(cluster, name)]] : [];
            }),
        );
    const specs = new Map(mesh.clusters.map((spec) => [spec.name, spec]));
    const facts = each(({ nodes }, name) => readNodes(nodes, specs.get(name)!, sight.at));
    const discovered = each(({ nodes }) => readDiscovered(nodes));
    const own = each(({ peers }, name) => meshPeers(mesh.mesh, name, names, peers));
    const input = {
        mesh: mesh.mesh,
        clusters: mesh.clusters,
        claims: Object.fromEntries(names.map((name) => [name, STAND_IN_CLAIM])),
        ...(mesh.topology === undefined ? {} : { topology: mesh.topology }),
        ...(mesh.peerWarning === undefined ? {} : { peerWarning: mesh.peerWarning }),
        facts,
        livePeers: each(({ peers }, name) => asOwned(peers, own[name]!)),
        unresolvable: sight.unresolvable,
    };
    const plan = planFromFacts({ ...input, discovered });
    // Without fresh observations: a peer equal to this one has not drifted, it is about to follow an observation.
    const settled = planFromFacts(input);
    const views = names.flatMap((target) =>
        seen(target).answers
            ? compare(target, plan.peers[target] ?? {}, settled.peers[target] ?? {}, own[target]!, (name, source) => {
                  const spec = specs.get(source);
                  const kept = whyKept(mesh.mesh, name, spec, sight.clusters[source], facts[source] ?? []);
                  return kept === undefined
                      ? { state: "extra", why: whyExtra(mesh.mesh, name, target, source, spec, plan.skipped) }
                      : { state: "kept", why: kept };
              })
            : unseen(target, plan.peers[target] ?? {}),
    );
    const peers = views.map((view) => ({ ...view, handshake: hasHandshake(view, discovered[view.target] ?? {}) }));
    return { mesh, sight, facts, plan, links: withLeftOvers(linkedPairs(names, mesh.topology), own), peers, own };
}

type Unmarked = Omit<PeerView, "handshake">;

function compare(
    target: string,
    planned: Readonly<Record<string, PlannedPeer>>,
    settled: Readonly<Record<string, PlannedPeer>>,
    own: ReadonlyMap<string, MeshPeer>,
    unplanned: (name: string, source: string) => { readonly state: "extra" | "kept"; readonly why: string },
): Unmarked[] {
    const views: Unmarked[] = [];
    for (const name of [...new Set([...Object.keys(planned), ...own.keys()])].sort()) {
        const wanted = planned[name];
        const found = own.get(name);
        const source = wanted?.labels[SOURCE_LABEL] ?? found?.source ?? "";
        const base = {
            name,
            source,
            target,
            ...(wanted === undefined ? {} : { wanted: encodePeer(wanted) }),
            ...(found === undefined ? {} : { live: lineOfLive(found.live) }),
            ...(found !== undefined && found.claim === undefined ? { unclaimed: true } : {}),
        };
        if (found === undefined) views.push({ ...base, state: "missing" });
        else if (wanted === undefined) views.push({ ...base, ...unplanned(name, source) });
        else if (base.live === base.wanted) {
            const labelled = found.live.metadata.labels?.[MESH_LABEL] !== undefined;
            views.push({
                ...base,
                ...(labelled ? { state: "present" } : { state: "drifted", why: "its labels were taken away" }),
            });
        } else if (settled[name] !== undefined && base.live === encodePeer(settled[name])) {
            views.push({ ...base, state: "moved", why: `${target} observed another endpoint` });
        } else views.push({ ...base, state: "drifted" });
    }
    return views;
}

const unseen = (target: string, planned: Readonly<Record<string, PlannedPeer>>): Unmarked[] =>
    Object.entries(planned).map(([name, peer]) => ({
        name,
        source: peer.labels[SOURCE_LABEL] ?? "",
        target,
        state: "unknown",
        wanted: encodePeer(peer),
    }));

/** The key is the first word of a peer's line. */
function hasHandshake({ wanted, live }: Unmarked, discovered: Readonly<Record<string, string>>): boolean {
    const key = (live === undefined ? undefined : (wanted ?? live))?.split(" ")[0];
    return key !== undefined && Object.hasOwn(discovered, key);
}

function withLeftOvers(
    links: Readonly<Record<string, readonly string[]>>,
    own: Assessment["own"],
): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
        Object.entries(links).map(([target, sources]) => {
            const present = [...(own[target]?.values() ?? [])].map(({ source }) => source);
            return [target, [...new Set([...sources, ...present])].sort()];
        }),
    );
}
