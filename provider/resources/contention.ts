import { networkOf } from "../net/cidr";
import { eachOverlap, type Owned } from "../net/overlaps";

/** A peer in a target, as far as WireGuard cares: one key, some networks. */
export interface Tunnel {
    readonly name: string;
    readonly publicKey: string;
    readonly allowedIPs: readonly string[];
}

interface Party {
    readonly name: string;
    readonly takes: boolean;
}

/** For each taker that wants a key or network which another peer holds: the names of those peers, sorted. */
export function contention(
    holders: readonly Tunnel[],
    takers: readonly Tunnel[],
): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, Set<string>>();
    const note = (taker: string, holder: string): void => {
        if (taker === holder) return;
        const known = found.get(taker);
        if (known === undefined) found.set(taker, new Set([holder]));
        else known.add(holder);
    };
    const keyHolders = new Map(holders.map(({ publicKey, name }) => [publicKey, name]));
    for (const { name, publicKey } of takers) {
        const holder = publicKey === "" ? undefined : keyHolders.get(publicKey);
        if (holder !== undefined) note(name, holder);
    }
    if (takers.length > 0 && holders.length > 0) {
        const entries = [...networksOf(holders, false), ...networksOf(takers, true)];
        eachOverlap(entries, ({ outer, inner }) => {
            if (outer.owner.takes && !inner.owner.takes) note(outer.owner.name, inner.owner.name);
            if (inner.owner.takes && !outer.owner.takes) note(inner.owner.name, outer.owner.name);
        });
    }
    return new Map([...found].map(([taker, names]) => [taker, [...names].sort()]));
}

/** Networks that cannot be read hold nothing: WireGuard would not take them either. */
function* networksOf(tunnels: readonly Tunnel[], takes: boolean): Iterable<Owned<Party>> {
    for (const { name, allowedIPs } of tunnels) {
        for (const cidr of allowedIPs) {
            const network = networkOf(cidr);
            if (network !== undefined) yield { network, owner: { name, takes } };
        }
    }
}
