import { Address4, Address6 } from "ip-address";

/** The part of a peer that the invariants are about. */
export interface WatchedPeer {
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
    readonly spec: { readonly allowedIPs: readonly string[]; readonly publicKey: string };
}

export interface WatchedEvent {
    readonly type: "ADDED" | "MODIFIED" | "DELETED";
    readonly object: WatchedPeer;
}

/**
 * Follows the peers of one target, write by write, and notes every moment at which two of them share a key or an
 * address. Feed it the event log of the double, or a watch of a real API server.
 */
export class PeerInvariants {
    readonly violations: string[] = [];
    readonly #peers = new Map<string, WatchedPeer>();
    readonly #keys = new Holders();
    readonly #networks = new Holders();
    /** Every network that contains one that is held. */
    readonly #enclosing = new Holders();
    readonly #counts: (peer: WatchedPeer) => boolean;
    #events = 0;

    /** A clash is noted when at least one side of it `counts`; default: always. */
    constructor(counts: (peer: WatchedPeer) => boolean = () => true) {
        this.#counts = counts;
    }

    get events(): number {
        return this.#events;
    }

    get size(): number {
        return this.#peers.size;
    }

    names(): Iterable<string> {
        return this.#peers.keys();
    }

    /** A copy: what is applied while it is walked through does not change it. */
    peers(): readonly WatchedPeer[] {
        return [...this.#peers.values()];
    }

    readonly apply = ({ type, object }: WatchedEvent): void => {
        this.#events++;
        const { name } = object.metadata;
        const before = this.#peers.get(name);
        if (before) this.#forget(before);
        if (type === "DELETED") return;
        this.#peers.set(name, object);
        this.#check(object);
        this.#remember(object);
    };

    #check(peer: WatchedPeer): void {
        const { name } = peer.metadata;
        for (const other of this.#keys.of(peer.spec.publicKey)) this.#note(peer, other, "the key");
        for (const cidr of new Set(peer.spec.allowedIPs)) {
            const prefix = bits(cidr);
            if (prefix === undefined) {
                this.violations.push(`event ${this.#events}: ${name} has ${cidr}, which is no network`);
                continue;
            }
            const others = new Set(this.#enclosing.of(prefix));
            for (const outer of prefixesOf(prefix)) for (const other of this.#networks.of(outer)) others.add(other);
            for (const other of others) this.#note(peer, other, cidr);
        }
    }

    #note(peer: WatchedPeer, otherName: string, what: string): void {
        const other = this.#peers.get(otherName);
        if (other === undefined || !(this.#counts(peer) || this.#counts(other))) return;
        this.violations.push(`event ${this.#events}: ${peer.metadata.name} and ${otherName} share ${what}`);
    }

    #remember(peer: WatchedPeer): void {
        const { name } = peer.metadata;
        this.#keys.add(peer.spec.publicKey, name);
        for (const prefix of networksOf(peer)) {
            this.#networks.add(prefix, name);
            for (const outer of prefixesOf(prefix)) this.#enclosing.add(outer, name);
        }
    }

    #forget(peer: WatchedPeer): void {
        const { name } = peer.metadata;
        this.#peers.delete(name);
        this.#keys.remove(peer.spec.publicKey, name);
        for (const prefix of networksOf(peer)) {
            this.#networks.remove(prefix, name);
            for (const outer of prefixesOf(prefix)) this.#enclosing.remove(outer, name);
        }
    }
}

/** Who holds what, with counts, because one peer can hold several networks inside one. */
class Holders {
    readonly #holders = new Map<string, Map<string, number>>();

    of(what: string): Iterable<string> {
        return this.#holders.get(what)?.keys() ?? [];
    }

    add(what: string, name: string): void {
        const names = this.#holders.get(what) ?? new Map<string, number>();
        this.#holders.set(what, names.set(name, (names.get(name) ?? 0) + 1));
    }

    remove(what: string, name: string): void {
        const names = this.#holders.get(what);
        const left = (names?.get(name) ?? 0) - 1;
        if (left > 0) names?.set(name, left);
        else names?.delete(name);
        if (names?.size === 0) this.#holders.delete(what);
    }
}

const networksOf = (peer: WatchedPeer): Set<string> =>
    new Set(peer.spec.allowedIPs.map(bits).filter((prefix) => prefix !== undefined));

/** `4:` or `6:` and the bits of the network. */
function bits(cidr: string): string | undefined {
    const v6 = cidr.includes(":");
    try {
        const address = v6 ? new Address6(cidr) : new Address4(cidr);
        return `${v6 ? 6 : 4}:${address.binaryZeroPad().slice(0, address.subnetMask)}`;
    } catch {
        return undefined;
    }
}

/** The network itself and everything around it. */
function* prefixesOf(prefix: string): Generator<string> {
    for (let length = 2; length <= prefix.length; length++) yield prefix.slice(0, length);
}
