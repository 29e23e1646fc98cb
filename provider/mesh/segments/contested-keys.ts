import { CLAIM_LABEL, SOURCE_LABEL } from "../../values/labels";
import { guarded, list, own } from "../../values/untrusted";
import type { KeyHolder } from "./node-check";

export interface KeyEvidence {
    /** Whom each target gets peers of. */
    readonly links: Readonly<Record<string, readonly string[]>>;
    readonly claims: unknown;
    readonly livePeers: unknown;
}

/**
 * Who keeps a key that nodes of several clusters claim. A public key is no secret: the root user of one member can put
 * another's on a node of its own, and by order alone could push that one out of the whole mesh. So the cluster for
 * which the key is in use stays its holder, by the word of the targets that have it: none of them speaks for itself or for
 * one it is no longer joined with, whose peers it is about to lose, and most of them decide. Where nobody has it yet the
 * order does.
 */
export function keyIncumbents(
    contested: ReadonlyMap<string, readonly KeyHolder[]>,
    evidence: KeyEvidence,
): ReadonlyMap<string, KeyHolder> {
    const kept = new Map<string, KeyHolder>();
    if (contested.size === 0) return kept;
    const votes = countVotes(contested, evidence);
    for (const [key, claimants] of contested) {
        const counted = claimants.map((holder) => ({ holder, count: votes.get(`${holder.cluster} ${key}`) ?? 0 }));
        const most = Math.max(...counted.map(({ count }) => count));
        const winners = counted.filter(({ count }) => count === most);
        // Several nodes of the winning cluster may have it: which of them, the order decides there, as ever.
        const [winner] = winners;
        if (most > 0 && winner && winners.every(({ holder }) => holder.cluster === winner.holder.cluster)) {
            kept.set(key, { ...winner.holder, reserved: true });
        }
    }
    return kept;
}

/** How many targets have the key as a peer of the source, by `source key`. */
function countVotes(
    contested: ReadonlyMap<string, unknown>,
    { links, claims, livePeers }: KeyEvidence,
): ReadonlyMap<string, number> {
    const votes = new Map<string, number>();
    for (const [target, sources] of Object.entries(links)) {
        const claim = own(claims, target);
        if (typeof claim !== "string" || claim === "") continue;
        const voted = new Set<string>();
        for (const peer of list(own(livePeers, target))) {
            const vote = guarded((value) => voteOf(value, claim), peer);
            if (vote === undefined || !contested.has(vote.key) || voted.has(vote.key)) continue;
            if (!sources.includes(vote.source)) continue;
            voted.add(vote.key);
            const id = `${vote.source} ${vote.key}`;
            votes.set(id, (votes.get(id) ?? 0) + 1);
        }
    }
    return votes;
}

function voteOf(peer: unknown, claim: string): { readonly key: string; readonly source: string } | undefined {
    const labels = own(own(peer, "metadata"), "labels");
    const key = own(own(peer, "spec"), "publicKey");
    const source = own(labels, SOURCE_LABEL);
    if (own(labels, CLAIM_LABEL) !== claim || typeof key !== "string" || typeof source !== "string") return undefined;
    return { key, source };
}
