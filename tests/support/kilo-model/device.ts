import { type Cidr, networkId } from "./addresses";
import { type Endpoint, sameEndpoint } from "./endpoint";
import { PrefixTable } from "./prefix-table";

/** A peer as an agent wants WireGuard to have it. */
export interface WantedPeer {
    /** Of the segment or the Peer. */
    readonly name: string;
    readonly key: string;
    readonly allowedIPs: readonly Cidr[];
    /** Of the specification, or of the node. */
    readonly configured: Endpoint | undefined;
    /** What the agent sets: a discovered endpoint, if the peer may roam. */
    readonly endpoint: Endpoint | undefined;
    readonly roams: boolean;
    readonly presharedKey: string | undefined;
}

/** A peer as WireGuard has it: where the last packet came from is where the next one goes. */
export interface DevicePeer extends Omit<WantedPeer, "configured" | "endpoint" | "roams"> {
    configured: Endpoint | undefined;
    endpoint: Endpoint | undefined;
    roams: boolean;
    handshake: boolean;
}

/** Who has a network; contested if several peers claimed it and WireGuard gave it to the last. */
export interface Holder {
    readonly key: string;
    readonly contested: boolean;
}

/** The WireGuard interface of a node. */
export interface Device {
    readonly peers: ReadonlyMap<string, DevicePeer>;
    readonly holders: PrefixTable<Holder>;
    readonly keepalive: number;
    /** WireGuard has just what it was asked for: no host bits, no network or key that several peers claim. */
    readonly exact: boolean;
}

/** All peers are replaced; a session of a key that stays is taken up again, because traffic goes on. */
export function configure(
    wanted: readonly WantedPeer[],
    { ownKey, keepalive, before }: { ownKey: string; keepalive: number; before: Device | undefined },
): Device {
    const peers = new Map<string, DevicePeer>();
    const holders = new PrefixTable<Holder>();
    let exact = true;
    for (const peer of wanted) {
        // WireGuard has no peer with the interface's own key.
        if (peer.key === ownKey) continue;
        peers.set(peer.key, { ...peer, handshake: before?.peers.get(peer.key)?.handshake ?? false });
        for (const cidr of peer.allowedIPs) {
            const former = holders.get(cidr);
            const contested = former !== undefined && (former.contested || former.key !== peer.key);
            holders.set(cidr, { key: peer.key, contested });
            exact &&= cidr.masked && former === undefined;
        }
    }
    return { peers, holders, keepalive, exact: exact && peers.size === wanted.length };
}

/**
 * What an agent finds when it compares. docs/kilo.md, the comparison: it ends at the first peer by key that has no
 * endpoint on either side and says "equal"; the number of peers is looked at before.
 */
export function differs(device: Device, wanted: readonly WantedPeer[], keepalive: number): boolean {
    if (wanted.length !== device.peers.size) return true;
    const after = [...wanted].sort(byKey);
    const before = [...device.peers.values()].sort(byKey);
    for (const [at, next] of after.entries()) {
        const present = before[at]!;
        if (next.endpoint === undefined && present.endpoint === undefined) return false;
        if (next.key !== present.key || next.presharedKey !== present.presharedKey) return true;
        if (!sameEndpoint(next.endpoint, present.endpoint) || !sameNetworks(device, present, next)) return true;
    }
    return device.keepalive !== keepalive;
}

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => (a.key < b.key ? -1 : 1);

/** WireGuard drops host bits and gives each network to one peer; the agent compares with what it asked for. */
function sameNetworks({ holders }: Device, present: DevicePeer, next: WantedPeer): boolean {
    const held = new Set<string>();
    for (const cidr of present.allowedIPs) {
        if (holders.get(cidr)?.key === present.key) held.add(networkId(cidr.network, cidr.length));
    }
    return next.allowedIPs.length === held.size && next.allowedIPs.every(({ id }) => held.has(id));
}
