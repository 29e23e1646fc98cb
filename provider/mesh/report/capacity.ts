import type { PeerSpec } from "../../kilo/types";
import type { Capacity, Issue } from "../types";
import { issue } from "./findings";

/** What one target ends up with. */
export interface TargetLoad {
    readonly target: string;
    /** How many of our peers it gets, and about how much WireGuard configuration they are. */
    readonly peers: number;
    /** Peers there that are not of this mesh. */
    readonly strangers: number;
    readonly bytes: number;
    /** Segments that Kilo makes of the target itself. */
    readonly kiloSegments: number;
}

const DEFAULT_WARNING = 1000;
/** `[Peer]`, `PublicKey = …`, and the empty line after it. */
const BYTES_PER_PEER = 65;
/** A peer for a segment of the cluster itself: pod CIDRs, node and WireGuard address, endpoint. */
const BYTES_PER_OWN_SEGMENT = 180;

export function capacityOf(loads: readonly TargetLoad[]): Capacity {
    const peersPerTarget: Record<string, number> = {};
    const allPeersPerTarget: Record<string, number> = {};
    const wireguardPeersPerNode: Record<string, number> = {};
    const configBytesPerNode: Record<string, number> = {};
    let objects = 0;
    for (const { target, peers, strangers, bytes, kiloSegments } of loads) {
        const others = Math.max(0, kiloSegments - 1);
        peersPerTarget[target] = peers;
        allPeersPerTarget[target] = peers + strangers;
        wireguardPeersPerNode[target] = others + peers;
        configBytesPerNode[target] = others * BYTES_PER_OWN_SEGMENT + bytes;
        objects += peers;
    }
    return { peersPerTarget, allPeersPerTarget, objects, wireguardPeersPerNode, configBytesPerNode };
}

/** About what a peer takes in the text of a WireGuard configuration. */
export function configBytes({ allowedIPs, endpoint, persistentKeepalive }: PeerSpec): number {
    const host = endpoint?.dnsOrIP.ip ?? endpoint?.dnsOrIP.dns;
    let size = BYTES_PER_PEER + "AllowedIPs = ".length;
    for (const text of allowedIPs) size += text.length + 2;
    if (host !== undefined) size += "Endpoint = ".length + host.length + 8;
    if (persistentKeepalive !== undefined) size += "PersistentKeepalive = 25\n".length;
    return size;
}

export function capacityIssues(capacity: Capacity, peerWarning: number = DEFAULT_WARNING): readonly Issue[] {
    return Object.entries(capacity.peersPerTarget)
        .filter(([, peers]) => peers > peerWarning)
        .map(([target, peers]) =>
            issue("TooManyPeers", {
                target,
                peers,
                limit: peerWarning,
                kib: Math.ceil((capacity.configBytesPerNode[target] ?? 0) / 1024),
            }),
        );
}
