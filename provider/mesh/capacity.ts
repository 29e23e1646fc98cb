import { issue } from "./issue";
import { count, shown } from "./text";
import type { Capacity, Issue, PeerSpec, PlannedPeer } from "./types";

/** What one target ends up with. */
export interface TargetLoad {
    readonly target: string;
    readonly peers: Readonly<Record<string, PlannedPeer>>;
    /** Segments that Kilo makes of the target itself. */
    readonly kiloSegments: number;
}

const DEFAULT_WARNING = 1000;
/** `[Peer]`, `PublicKey = …`, and the empty line after it. */
const BYTES_PER_PEER = 65;
/** A peer for a segment of the cluster itself: pod CIDRs, node and WireGuard address, endpoint. */
const BYTES_PER_OWN_SEGMENT = 180;

export function capacityOf(loads: readonly TargetLoad[]): Capacity {
    const sizes = new Map<PeerSpec, number>();
    const peersPerTarget: Record<string, number> = {};
    const wireguardPeersPerNode: Record<string, number> = {};
    const configBytesPerNode: Record<string, number> = {};
    let objects = 0;
    for (const { target, peers, kiloSegments } of loads) {
        const others = Math.max(0, kiloSegments - 1);
        let ours = 0;
        let bytes = others * BYTES_PER_OWN_SEGMENT;
        for (const name in peers) {
            ours++;
            bytes += sizeOf(peers[name]!.spec, sizes);
        }
        peersPerTarget[target] = ours;
        wireguardPeersPerNode[target] = others + ours;
        configBytesPerNode[target] = bytes;
        objects += ours;
    }
    return { peersPerTarget, objects, wireguardPeersPerNode, configBytesPerNode };
}

/** Most specs are shared by many targets, so each is measured once. */
function sizeOf(spec: PeerSpec, sizes: Map<PeerSpec, number>): number {
    const known = sizes.get(spec);
    if (known !== undefined) return known;
    const { allowedIPs, endpoint, persistentKeepalive } = spec;
    const host = endpoint?.dnsOrIP.ip ?? endpoint?.dnsOrIP.dns;
    const size =
        BYTES_PER_PEER +
        allowedIPs.reduce((sum, text) => sum + text.length + 2, "AllowedIPs = ".length) +
        (host === undefined ? 0 : "Endpoint = ".length + host.length + 8) +
        (persistentKeepalive === undefined ? 0 : "PersistentKeepalive = 25\n".length);
    sizes.set(spec, size);
    return size;
}

export function capacityIssues(capacity: Capacity, peerWarning: number = DEFAULT_WARNING): readonly Issue[] {
    return Object.entries(capacity.peersPerTarget)
        .filter(([, peers]) => peers > peerWarning)
        .map(([target, peers]) =>
            issue(
                "warning",
                "TooManyPeers",
                target,
                `${shown(target)} gets ${count(peers, "peer")}, more than ${peerWarning}; each of its nodes ` +
                    `configures about ${Math.ceil((capacity.configBytesPerNode[target] ?? 0) / 1024)} KiB of WireGuard`,
                "use hubs or links, location granularity in the sources, or raise peerWarning",
            ),
        );
}
