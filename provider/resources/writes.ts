import type { LivePeer } from "../kube/objects";
import { decodePeer, lineOfLive } from "../state/peer-text";
import { contention, type Tunnel } from "./contention";

/** A peer as the inputs want it. */
export interface WantedPeer {
    readonly name: string;
    readonly source: string;
    readonly line: string;
}

export type Write =
    | { readonly kind: "delete"; readonly live: LivePeer }
    | { readonly kind: "patch"; readonly live: LivePeer; readonly wanted: WantedPeer }
    | { readonly kind: "replace"; readonly live: LivePeer; readonly wanted: WantedPeer }
    | { readonly kind: "create"; readonly wanted: WantedPeer };

/** First everything that gives a key or network up, then everything that takes one: nothing is ever on two peers. */
export interface Writes {
    readonly withdraw: readonly Write[];
    readonly grant: readonly Write[];
}

export interface WritesInput {
    /** Live peers that are ours. */
    readonly own: readonly LivePeer[];
    readonly wanted: readonly WantedPeer[];
    /** Some peer of the target, ours or not, has no endpoint. */
    readonly endpointless: boolean;
    /** Whether the object's labels are the ones we would write. */
    readonly labelled: (live: LivePeer, wanted: WantedPeer) => boolean;
}

interface Change {
    readonly live: LivePeer;
    readonly wanted: WantedPeer;
    readonly before: Decoded;
    readonly after: Decoded;
}

type Decoded = ReturnType<typeof decodePeer>;

export function planWrites({ own, wanted, endpointless, labelled }: WritesInput): Writes {
    const liveByName = new Map(own.map((peer) => [peer.metadata.name, peer]));
    const wantedNames = new Set(wanted.map((peer) => peer.name));
    const withdraw: Write[] = own
        .filter((peer) => !wantedNames.has(peer.metadata.name))
        .map((live) => ({ kind: "delete", live }));
    const grant: Write[] = [];
    const changes: Change[] = [];
    for (const peer of wanted) {
        const live = liveByName.get(peer.name);
        if (live === undefined) {
            grant.push({ kind: "create", wanted: peer });
            continue;
        }
        const line = lineOfLive(live);
        if (line !== peer.line) {
            changes.push({ live, wanted: peer, before: decodePeer(line), after: decodePeer(peer.line) });
        } else if (!labelled(live, peer)) {
            withdraw.push({ kind: "patch", live, wanted: peer });
        }
    }
    const contested = contention(own.map(held), changes.map(gained));
    for (const change of changes) {
        const { live, wanted: peer } = change;
        const kind = needsReplacing(change, endpointless) ? "replace" : "patch";
        if (!contested.has(peer.name)) {
            withdraw.push({ kind, live, wanted: peer });
        } else if (kind === "patch" && !givesUp(change)) {
            grant.push({ kind, live, wanted: peer });
        } else {
            withdraw.push({ kind: "delete", live });
            grant.push({ kind: "create", wanted: peer });
        }
    }
    return { withdraw, grant };
}

/**
 * Changes that Kilo would ignore are made visible to it by deleting and creating the peer (docs/kilo.md: the discovered
 * endpoint wins; a peer without endpoint hides changes).
 */
function needsReplacing({ before, after }: Change, endpointless: boolean): boolean {
    // An adopted observation is what WireGuard uses already: only the record of it changes.
    if (after.annotations !== undefined && sameButEndpoint(before, after)) return false;
    if (endpointless) return true;
    // A new key has no handshake yet, so Kilo takes its endpoint from the spec.
    if (before.spec.publicKey !== after.spec.publicKey) return false;
    const roams = (before.spec.persistentKeepalive ?? 0) > 0 && (after.spec.persistentKeepalive ?? 0) > 0;
    return roams && JSON.stringify(before.spec.endpoint) !== JSON.stringify(after.spec.endpoint);
}

const sameButEndpoint = (a: Decoded, b: Decoded): boolean =>
    a.spec.publicKey === b.spec.publicKey &&
    (a.spec.persistentKeepalive ?? 0) === (b.spec.persistentKeepalive ?? 0) &&
    a.spec.allowedIPs.join() === b.spec.allowedIPs.join();

function givesUp({ live, after }: Change): boolean {
    const kept = new Set(after.spec.allowedIPs);
    return live.spec.publicKey !== after.spec.publicKey || live.spec.allowedIPs.some((cidr) => !kept.has(cidr));
}

export const held = ({ metadata, spec }: LivePeer): Tunnel => ({
    name: metadata.name,
    publicKey: spec.publicKey,
    allowedIPs: spec.allowedIPs,
});

export const taken = ({ name, line }: WantedPeer): Tunnel => ({ name, ...decodePeer(line).spec });

/** What a change takes beyond what the peer has already. */
function gained({ live, wanted, after }: Change): Tunnel {
    const own = new Set(live.spec.allowedIPs);
    return {
        name: wanted.name,
        publicKey: after.spec.publicKey,
        allowedIPs: after.spec.allowedIPs.filter((cidr) => !own.has(cidr)),
    };
}
