import type { Cidr } from "./addresses";
import { type Endpoint, type Resolve, resolved } from "./endpoint";
import type { PeerObject } from "./objects";
import { type PeerFacts, peerFacts } from "./peer-facts";

/** A Peer with the networks that are left to it and the address it was given when it was stored. */
export interface StoredPeer {
    readonly facts: PeerFacts;
    readonly allowedIPs: readonly Cidr[];
    readonly at: Endpoint | undefined;
}

interface Entry {
    readonly facts: PeerFacts;
    /** Looked up again only when the specification changes (docs/kilo.md: names are resolved once). */
    at?: Endpoint;
}

/** The Peers that an agent holds in memory, by public key, with what it makes of each kind of event. */
export class PeerStore {
    readonly #byKey = new Map<string, Entry>();
    #settled: readonly StoredPeer[] | undefined;

    constructor(peers: Iterable<PeerObject> = []) {
        for (const peer of peers) this.put(peer);
    }

    /** Of two Peers with one key the later replaces the earlier (docs/kilo.md: one entry per key). Invalid ones are skipped. */
    put(peer: PeerObject): void {
        const facts = peerFacts(peer);
        if (facts === undefined) return;
        const present = this.#byKey.get(facts.key)?.facts;
        if (present?.name === facts.name && present.spec === facts.spec) return;
        this.#byKey.set(facts.key, { facts });
        this.#settled = undefined;
    }

    /** From invalid to valid is ignored, from valid to invalid keeps what was (docs/kilo.md: invalid peers are skipped). */
    change(before: PeerObject, after: PeerObject): void {
        const [old, next] = [peerFacts(before), peerFacts(after)];
        if (old === undefined || next === undefined) return;
        if (old.key !== next.key) this.#drop(old.key);
        this.put(after);
    }

    /** An invalid Peer leaves its configuration, a valid one takes its key along (docs/kilo.md: invalid peers are skipped). */
    remove(peer: PeerObject): void {
        const facts = peerFacts(peer);
        if (facts !== undefined) this.#drop(facts.key);
    }

    /** By name, each network on the first that names it; or the name that has no address and stops everything. */
    settle(resolve: Resolve): readonly StoredPeer[] | { readonly unresolved: string } {
        if (this.#settled !== undefined) return this.#settled;
        for (const entry of this.#byKey.values()) {
            if (entry.facts.endpoint === undefined || entry.at !== undefined) continue;
            const at = resolved(entry.facts.endpoint, resolve);
            if (at === undefined) return { unresolved: entry.facts.endpoint.host };
            entry.at = at;
        }
        this.#settled = withoutDuplicates([...this.#byKey.values()]);
        return this.#settled;
    }

    #drop(key: string): void {
        this.#byKey.delete(key);
        this.#settled = undefined;
    }
}

/** An exact duplicate goes to the first Peer by name; nested networks stay (docs/kilo.md: one network on one peer). */
function withoutDuplicates(entries: readonly Entry[]): readonly StoredPeer[] {
    const taken = new Set<string>();
    return [...entries]
        .sort((a, b) => (a.facts.name < b.facts.name ? -1 : 1))
        .map(({ facts, at }) => ({
            facts,
            at,
            allowedIPs: facts.allowedIPs.filter(({ id }) => !taken.has(id) && taken.add(id)),
        }));
}
