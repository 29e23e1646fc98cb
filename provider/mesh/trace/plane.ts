import { kiloEndpointOf } from "../../kilo/endpoint";
import { type KiloSegment, kiloSegments } from "../../kilo/kilo-segments";
import type { LivePeer } from "../../kilo/peer";
import { isPublicKey } from "../../kilo/public-key";
import type { KnownNode } from "../../kilo/types";
import { type Address, addressOf } from "../../net/address";
import { contains, hostRoute, type Network, networkOf } from "../../net/cidr";
import { byText } from "../../values/show";
import type { TracedCluster, TraceInput } from "./types";

/** Who has a network in a cluster: a peer, or a segment of the cluster's own. */
export type Holder =
    | { readonly network: Network; readonly key: string; readonly peer: LivePeer }
    | { readonly network: Network; readonly key: string; readonly segment: KiloSegment };

/** What Kilo makes of one cluster. */
export interface Plane extends TracedCluster {
    readonly name: string;
    readonly segmentOf: ReadonlyMap<string, KiloSegment>;
    /** Peers by key: Kilo has one for each (docs/kilo.md: one entry per key). */
    readonly peerOf: ReadonlyMap<string, LivePeer>;
    readonly holders: readonly Holder[];
    /** A name without an address that keeps the agents from doing anything. */
    readonly frozenBy: string | undefined;
}

export function planes({ clusters, unresolvable, resolved }: TraceInput): ReadonlyMap<string, Plane> {
    const gone = new Set(unresolvable);
    return new Map(
        Object.entries(clusters).map(([name, cluster]) => {
            const segments = kiloSegments(cluster.nodes, resolved);
            const peers = [...cluster.peers].filter(isValid).sort((a, b) => byText(a.name, b.name));
            const peerOf = new Map(peers.map((peer) => [peer.spec.publicKey, peer]));
            const names = [
                ...[...peerOf.values()].map(({ spec }) => spec.endpoint?.dnsOrIP.dns),
                ...segments.flatMap(({ nodes }) => nodes.map((node) => kiloEndpointOf(node)!.spec.dnsOrIP.dns)),
            ];
            const plane: Plane = {
                ...cluster,
                name,
                segmentOf: new Map(segments.flatMap((segment) => segment.nodes.map((node) => [node.name, segment]))),
                peerOf,
                holders: [...segments.flatMap(ofSegment), ...ofPeers([...peerOf.values()])],
                frozenBy: names.find((dns) => dns !== undefined && gone.has(dns)),
            };
            return [name, plane];
        }),
    );
}

/** Kilo skips what does not pass its validation. */
const isValid = ({ spec }: LivePeer): boolean =>
    isPublicKey(spec.publicKey) && spec.allowedIPs.every((text) => networkOf(text) !== undefined);

function ofSegment(segment: KiloSegment): readonly Holder[] {
    const networks = segment.nodes.flatMap(({ podCIDRs, kiloInternalIP }) => {
        const address = addressOf(kiloInternalIP ?? "");
        // Kilo uses the first pod CIDR only (docs/kilo.md: one pod CIDR)
        return [networkOf(podCIDRs[0]!)!, ...(address === undefined ? [] : [hostRoute(address)])];
    });
    return networks.map((network) => ({ network, key: segment.leader.key!, segment }));
}

/** Of two peers with one network, the first by name has it (docs/kilo.md: one network on one peer). */
function ofPeers(peers: readonly LivePeer[]): readonly Holder[] {
    const taken = new Set<string>();
    return [...peers]
        .sort((a, b) => byText(a.name, b.name))
        .flatMap((peer) =>
            peer.spec.allowedIPs.flatMap((text): readonly Holder[] => {
                const network = networkOf(text)!;
                if (taken.has(network.text)) return [];
                taken.add(network.text);
                return [{ network, key: peer.spec.publicKey, peer }];
            }),
        );
}

/** All that hold the longest prefix around the address. More than one key: contested. */
export function longest(holders: readonly Holder[], address: Address): readonly Holder[] {
    let found: Holder[] = [];
    for (const holder of holders) {
        if (!contains(holder.network, address)) continue;
        const best = found[0]?.network.prefix ?? -1;
        if (holder.network.prefix > best) found = [holder];
        else if (holder.network.prefix === best) found.push(holder);
    }
    return found;
}

/** Nodes that are reached without a tunnel: of one segment, and with `cross` of one location. */
export function neighbourOf({ segmentOf }: Plane, node: KnownNode): (other: KnownNode) => boolean {
    const own = segmentOf.get(node.name);
    const isCross = node.granularity === "cross" && node.kiloInternalIP !== undefined;
    return (other) => {
        const segment = segmentOf.get(other.name);
        if (other.name === node.name || segment === undefined) return false;
        if (segment === own) return true;
        return isCross && other.kiloInternalIP !== undefined && (other.location ?? "") === (node.location ?? "");
    };
}

/** What the WireGuard interface of a node has if it leads: all but its own segment, and those reached without a tunnel. */
export function deviceOf(plane: Plane, node: KnownNode): readonly Holder[] {
    const own = plane.segmentOf.get(node.name);
    const isNear = neighbourOf(plane, node);
    return plane.holders.filter(
        (holder) => !("segment" in holder) || (holder.segment !== own && !isNear(holder.segment.leader)),
    );
}
