import type { LivePeer, Peer, WantedPeer } from "../kilo/peer";
import { type Difference, difference, keepaliveOf, sameEndpoint, sameNetworks } from "../mesh/compare";
import { contention, type Tunnel } from "./contention";

export type Write =
    /** `successor`: what takes its place afterwards, under its name. */
    | { readonly kind: "delete"; readonly live: LivePeer; readonly successor?: WantedPeer }
    | { readonly kind: "patch"; readonly live: LivePeer; readonly wanted: WantedPeer }
    | { readonly kind: "replace"; readonly live: LivePeer; readonly wanted: WantedPeer }
    | { readonly kind: "create"; readonly wanted: WantedPeer };

/** First everything that gives a key or network up, then everything that takes one: nothing is ever on two peers. */
export interface Writes {
    readonly withdraw: readonly Write[];
    readonly grant: readonly Write[];
    /** Ours that are being deleted already and that finalizers hold: they are there until those are gone. */
    readonly terminating: readonly LivePeer[];
}

export interface WritesInput {
    /** Live peers that are ours. */
    readonly own: readonly LivePeer[];
    readonly foreign: readonly LivePeer[];
    readonly wanted: readonly WantedPeer[];
    readonly labelsOf: (source: string) => Readonly<Record<string, string>>;
}

interface Change {
    readonly live: LivePeer;
    readonly wanted: WantedPeer;
    readonly differs: Difference;
}

export function planWrites({ own, foreign, wanted, labelsOf }: WritesInput): Writes {
    const terminating = own.filter(({ finalizers }) => finalizers !== undefined);
    const present = own.filter(({ finalizers }) => finalizers === undefined);
    const byName = new Map(own.map((peer) => [peer.name, peer]));
    const wantedNames = new Set(wanted.map(({ name }) => name));
    const withdraw: Write[] = present
        .filter(({ name }) => !wantedNames.has(name))
        .map((live) => ({ kind: "delete", live }));
    const grant: Write[] = [];
    const changes: Change[] = [];
    for (const peer of wanted) {
        const live = byName.get(peer.name);
        const differs = live === undefined ? undefined : difference(peer.peer, labelsOf(peer.source), live);
        if (live === undefined || live.finalizers !== undefined) grant.push({ kind: "create", wanted: peer });
        else if (differs !== undefined) changes.push({ live, wanted: peer, differs });
    }
    const endpointless = [...own, ...foreign].some(({ spec }) => spec.endpoint === undefined);
    const gains = changes.map(gained);
    const contested = contention(own.map(held), gains);
    const barred = contention(
        foreign.map(held),
        changes.map(({ wanted: peer }) => taken(peer)),
    );
    for (const change of changes) {
        const { live, wanted: peer } = change;
        // what a stranger wants too is never let go for a moment
        const kind = needsReplacing(change, endpointless) && !barred.has(peer.name) ? "replace" : "patch";
        if (!contested.has(peer.name)) {
            withdraw.push({ kind, live, wanted: peer });
        } else if (kind === "patch" && !givesUp(change)) {
            grant.push({ kind, live, wanted: peer });
        } else if (barred.has(peer.name) && live.spec.publicKey === peer.peer.spec.publicKey) {
            // the same in two steps, so that it is never gone
            withdraw.push({ kind: "patch", live, wanted: { ...peer, peer: givenUp(change) } });
            grant.push({ kind: "patch", live, wanted: peer });
        } else {
            withdraw.push({ kind: "delete", live, successor: peer });
            grant.push({ kind: "create", wanted: peer });
        }
    }
    return { withdraw, grant: endpointlessLast(grant), terminating };
}

/** A peer without endpoint hides changes to others while it is idle (docs/kilo.md: a peer without endpoint hides changes). */
function endpointlessLast(grant: readonly Write[]): readonly Write[] {
    const isLast = (write: Write): number =>
        write.kind === "create" && write.wanted.peer.spec.endpoint === undefined ? 1 : 0;
    return [...grant].sort((a, b) => isLast(a) - isLast(b));
}

/** Changes that Kilo would ignore are made visible to it by deleting and creating the peer. */
function needsReplacing({ live, wanted: { peer }, differs }: Change, endpointless: boolean): boolean {
    if (differs === "labels") return false;
    const isSameKey = live.spec.publicKey === peer.spec.publicKey;
    const isSameButEndpoint = isSameKey && keepaliveOf(live) === keepaliveOf(peer) && sameNetworks(live, peer);
    // An adopted observation is what WireGuard uses already: only the record of it changes.
    if (isSameButEndpoint && (peer.configured !== undefined || sameEndpoint(live.spec.endpoint, peer.spec.endpoint))) {
        return live.unexpected.some((field) => field !== "annotations");
    }
    if (endpointless) return true;
    // A new key has no handshake yet, so Kilo takes its endpoint from the spec.
    if (!isSameKey) return false;
    const roams = keepaliveOf(live) > 0 && keepaliveOf(peer) > 0;
    return roams && !sameEndpoint(live.spec.endpoint, peer.spec.endpoint);
}

function givesUp({ live, wanted: { peer } }: Change): boolean {
    const kept = new Set(peer.spec.allowedIPs);
    return live.spec.publicKey !== peer.spec.publicKey || live.spec.allowedIPs.some((cidr) => !kept.has(cidr));
}

/** Without what the peer does not have yet. */
function givenUp({ live, wanted: { peer } }: Change): Peer {
    const has = new Set(live.spec.allowedIPs);
    return { ...peer, spec: { ...peer.spec, allowedIPs: peer.spec.allowedIPs.filter((cidr) => has.has(cidr)) } };
}

export const held = ({ name, spec }: LivePeer): Tunnel => ({ name, ...tunnelOf(spec) });

export const taken = ({ name, peer }: WantedPeer): Tunnel => ({ name, ...tunnelOf(peer.spec) });

const tunnelOf = ({ publicKey, allowedIPs }: LivePeer["spec"]): Omit<Tunnel, "name"> => ({ publicKey, allowedIPs });

/** What a change takes beyond what the peer has already. */
export function gained({ live, wanted: { name, peer } }: Pick<Change, "live" | "wanted">): Tunnel {
    const own = new Set(live.spec.allowedIPs);
    const isSameKey = live.spec.publicKey === peer.spec.publicKey;
    return {
        name,
        publicKey: isSameKey ? "" : peer.spec.publicKey,
        allowedIPs: peer.spec.allowedIPs.filter((cidr) => !own.has(cidr)),
    };
}
