import type { LivePeer } from "../../kilo/peer";
import { SOURCE_LABEL } from "../../values/labels";
import type { LivePeers } from "../plan/classify";

/** What our peers in the targets hold of one source at this moment. It decides where the facts of nodes do not. */
export interface Holdings {
    /** The key by which most targets know the segment of these names. */
    readonly keyOf: (names: readonly string[]) => string | undefined;
    /** Whether some target routes the network through the segment. */
    readonly has: (names: readonly string[], network: string) => boolean;
}

/** Nothing is looked at before it is asked for: in most runs nobody asks. */
export function holdingsOf(source: string, targets: readonly LivePeers[]): Holdings {
    let byName: ReadonlyMap<string, readonly LivePeer[]> | undefined;
    const peersOf = (names: readonly string[]): readonly LivePeer[] => {
        byName ??= collect(source, targets);
        const known = byName;
        return names.flatMap((name) => known.get(name) ?? []);
    };
    return {
        keyOf: (names) => mostCommon(peersOf(names).map(({ spec }) => spec.publicKey)),
        has: (names, network) => peersOf(names).some(({ spec }) => spec.allowedIPs.includes(network)),
    };
}

function collect(source: string, targets: readonly LivePeers[]): ReadonlyMap<string, readonly LivePeer[]> {
    const found = new Map<string, LivePeer[]>();
    for (const { ours } of targets) {
        for (const [name, peer] of ours) {
            if (peer.labels[SOURCE_LABEL] !== source) continue;
            const before = found.get(name);
            if (before === undefined) found.set(name, [peer]);
            else before.push(peer);
        }
    }
    return found;
}

/** The first of them by text where several are as common. */
export function mostCommon(texts: readonly string[]): string | undefined {
    const counts = new Map<string, number>();
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
    const most = Math.max(0, ...counts.values());
    return [...counts.keys()].filter((text) => counts.get(text) === most).sort()[0];
}
