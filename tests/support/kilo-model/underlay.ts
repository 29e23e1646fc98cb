import { formatAddress, parseAddress } from "./addresses";
import { type Endpoint, sameEndpoint } from "./endpoint";
import type { Host } from "./host";
import type { Options } from "./options";

/** The network that the tunnels run over: every address of a node leads to it, unless NAT or a firewall says no. */
export interface Underlay {
    /** Packets of `from` to that endpoint come to `to`. */
    readonly leadsTo: (from: Host, endpoint: Endpoint, to: Host) => boolean;
    readonly blocked: (from: Host, to: Host) => boolean;
    /** Where `to` sees the packets of `from` come from. */
    readonly sourceOf: (from: Host, to: Host) => Endpoint | undefined;
}

/** A range for tests of network equipment: no node of a test has an address in it. */
const NAT_ADDRESSES = parseAddress("198.18.0.0") as number;
const NAT_PORTS = 20_000;

export function underlay({ natted = () => false, blocked = () => false, forwards = {} }: Options): Underlay {
    const forwarded = Object.keys(forwards).length > 0;
    const hidden = (host: Host, from: Host): boolean => host.ref.cluster !== from.ref.cluster && natted(host.ref);
    const sourceOf = (from: Host, to: Host): Endpoint | undefined =>
        hidden(from, to) ? { ip: NAT_ADDRESSES + from.id, port: NAT_PORTS + from.id } : from.endpoint;
    return {
        sourceOf,
        blocked: (from, to) => blocked(from.ref, to.ref),
        leadsTo: (from, endpoint, to) => {
            const forward = forwarded ? forwards[textOf(endpoint)] : undefined;
            if (forward !== undefined) return forward.cluster === to.ref.cluster && forward.node === to.ref.node;
            // A node that dials out keeps the way back open.
            if (sameEndpoint(endpoint, sourceOf(to, from)) || (hidden(to, from) && wasSeen(from, endpoint, to)))
                return true;
            if (hidden(to, from)) return false;
            return endpoint.port === to.endpoint?.port && to.addresses.includes(endpoint.ip);
        },
    };
}

const textOf = ({ ip, port }: Endpoint): string =>
    typeof ip === "number" ? `${formatAddress(ip)}:${port}` : `[${formatAddress(ip)}]:${port}`;

/** The node's own annotation says that a handshake came from there. */
const wasSeen = (from: Host, endpoint: Endpoint, to: Host): boolean =>
    to.facts.key !== undefined && sameEndpoint(from.facts.discovered.get(to.facts.key), endpoint);
