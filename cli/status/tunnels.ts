import { kiloSegments } from "../../provider/kilo/kilo-segments";
import { readHandshakes } from "../../provider/kilo/observations";
import type { RunResult } from "../../provider/mesh/run";
import type { Assessment, PeerView } from "../assess";
import type { SeenCluster } from "../sight";

/** A handshake since Kilo last reconfigured the node; not that the tunnel works now. */
export type TunnelState = "seen" | "partly seen" | "not seen";

/** A peer that nodes of its target have had no handshake with. */
export interface SilentPeer {
    readonly peer: string;
    /** By name; absent where it is every node that has tunnels. */
    readonly nodes?: readonly string[];
}

/** The tunnels of a link: each node of the target that has tunnels, with each peer of the source. */
export interface TunnelsView {
    readonly state: TunnelState;
    readonly seen: number;
    readonly total: number;
    readonly silent: readonly SilentPeer[];
}

/** Tells which tunnels of one target were seen. */
export type TunnelsOf = (source: string, peers: readonly PeerView[]) => TunnelsView | undefined;

export function tunnelsInto(seen: SeenCluster, target: string, { plan, sight }: Assessment): TunnelsOf {
    const handshakes = readHandshakes(seen.found.nodes);
    const leaders = kiloSegments(seen.nodes, sight.resolved).map(({ leader }) => leader);
    return (source, peers) => {
        const known = keysOf(plan, target, source);
        const ends = leaders.filter(({ key }) => known === undefined || known.has(key!));
        const live = peers.flatMap((peer) => peer.live ?? []);
        if (live.length === 0) return undefined;
        const silent = live.flatMap(({ name: peer, spec: { publicKey } }): SilentPeer[] => {
            const nodes = ends.filter(({ name }) => handshakes.get(name)?.has(publicKey) !== true);
            if (nodes.length === 0) return ends.length === 0 ? [{ peer }] : [];
            return [nodes.length === ends.length ? { peer } : { peer, nodes: nodes.map(({ name }) => name) }];
        });
        const total = live.length * ends.length;
        const unseen = silent.reduce((sum, { nodes }) => sum + (nodes?.length ?? ends.length), 0);
        const state = total === unseen ? "not seen" : unseen === 0 ? "seen" : "partly seen";
        return { state, seen: total - unseen, total, silent };
    };
}

/**
 * The keys of the target that the source is to have peers for. A node that is in no mesh has no tunnel to expect; a
 * source that is not in the mesh file does not say.
 */
function keysOf({ targets }: RunResult, target: string, source: string): ReadonlySet<string> | undefined {
    const wanted = Object.hasOwn(targets, source) ? targets[source]!.peers.get(target) : undefined;
    return wanted && new Set([...wanted.values()].map(({ spec }) => spec.publicKey));
}
