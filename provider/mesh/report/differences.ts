import { endpointText, type LivePeer, type Peer } from "../../kilo/peer";
import type { PeerEndpoint } from "../../kilo/types";
import { few, shown } from "../../values/show";
import { keepaliveOf, sameEndpoint } from "../compare";

/** How a live peer differs from the wanted one, in words. What a stranger wrote is quoted; a preshared key is only named. */
export function differences(wanted: Peer, live: LivePeer): string {
    const missing = wanted.spec.allowedIPs.filter((cidr) => !live.spec.allowedIPs.includes(cidr));
    const extra = live.spec.allowedIPs.filter((cidr) => !wanted.spec.allowedIPs.includes(cidr));
    const said = [
        ...(live.spec.publicKey === wanted.spec.publicKey ? [] : ["another key"]),
        ...(sameEndpoint(live.spec.endpoint, wanted.spec.endpoint)
            ? []
            : [`endpoint ${at(live.spec.endpoint)} instead of ${at(wanted.spec.endpoint)}`]),
        ...(keepaliveOf(live) === keepaliveOf(wanted)
            ? []
            : [`keepalive ${keepaliveOf(live)} instead of ${keepaliveOf(wanted)}`]),
        ...(missing.length === 0 ? [] : [`without ${few(missing)}`]),
        ...(extra.length === 0 ? [] : [`with ${few(extra.map(plainOrQuoted))}`]),
        ...(live.unexpected.length === 0 ? [] : [`${few(live.unexpected.map(plainOrQuoted))} set`]),
    ];
    return said.length === 0 ? "its networks in another order, or another note on its endpoint" : said.join(", ");
}

const at = (endpoint: PeerEndpoint | undefined): string =>
    endpoint === undefined ? "none" : plainOrQuoted(endpointText(endpoint));

const plainOrQuoted = (text: string): string => (/^[\w.:/[\]-]{1,80}$/.test(text) ? text : shown(text));
