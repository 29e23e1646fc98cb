import type { LivePeer, Peer } from "../kilo/peer";
import type { PeerEndpoint } from "../kilo/types";
import { MESH_ID_LABEL } from "../values/labels";

/** How a live peer differs from the wanted one. */
export type Difference = "spec" | "labels";

/** The one comparison of wanted against live. */
export function difference(
    wanted: Peer,
    labels: Readonly<Record<string, string>>,
    live: LivePeer,
): Difference | undefined {
    if (live.unexpected.length > 0 || !samePeer(wanted, live)) return "spec";
    return hasLabels(live, labels) ? undefined : "labels";
}

export function samePeer(a: Peer, b: Peer): boolean {
    return (
        a.spec.publicKey === b.spec.publicKey &&
        sameEndpoint(a.spec.endpoint, b.spec.endpoint) &&
        keepaliveOf(a) === keepaliveOf(b) &&
        a.configured === b.configured &&
        sameNetworks(a, b)
    );
}

export const sameNetworks = (a: Peer, b: Peer): boolean =>
    a.spec.allowedIPs.length === b.spec.allowedIPs.length &&
    a.spec.allowedIPs.every((cidr, i) => cidr === b.spec.allowedIPs[i]);

export const sameEndpoint = (a: PeerEndpoint | undefined, b: PeerEndpoint | undefined): boolean =>
    a?.port === b?.port && a?.dnsOrIP.ip === b?.dnsOrIP.ip && a?.dnsOrIP.dns === b?.dnsOrIP.dns;

export const keepaliveOf = ({ spec }: Peer): number => spec.persistentKeepalive ?? 0;

/** An object of 0.1.0 has no mesh id and gets one when it is next written: that alone is not worth a write. */
function hasLabels({ labels: found }: LivePeer, labels: Readonly<Record<string, string>>): boolean {
    for (const key in labels) {
        if (found[key] !== labels[key] && !(key === MESH_ID_LABEL && found[key] === undefined)) return false;
    }
    return true;
}
