import { SOURCE_LABEL } from "../../values/labels";
import type { LivePeers } from "../plan/classify";

/** Who has a public key. */
export interface KeyHolder {
    readonly node: string;
    readonly cluster: string;
    /** It is kept for the cluster: the first of its nodes that can have it takes it. */
    readonly reserved?: true;
}

/** Keys that one cluster is known by in the mesh and nodes of others have too: with everyone who claims them. */
export type ContestedKeys = ReadonlyMap<string, readonly KeyHolder[]>;

export interface KeyInCluster extends KeyHolder {
    readonly key: string;
}

/** Of the keys that a cluster has and does not hold in the mesh, those that another one holds: it first, then all who claim them. */
export function contestedKeys(
    unheld: readonly KeyInCluster[],
    keys: ReadonlyMap<string, KeyHolder>,
): ReadonlyMap<string, readonly KeyHolder[]> {
    const claimants = new Map<string, readonly KeyHolder[]>();
    for (const { key, cluster, node } of unheld) {
        const holder = keys.get(key);
        if (holder === undefined) continue;
        claimants.set(key, [...(claimants.get(key) ?? [holder]), { cluster, node }]);
    }
    return claimants;
}

export interface KeyEvidence {
    /** Whom each target gets peers of. */
    readonly links: Readonly<Record<string, readonly string[]>>;
    readonly live: ReadonlyMap<string, LivePeers>;
}

/**
 * Who keeps a key that nodes of several clusters claim. A public key is no secret: the root user of one member can put
 * another's on a node of its own, and by order alone could push that one out of the whole mesh. So the cluster for
 * which the key is in use stays its holder, by the word of the targets that have it: none of them speaks for itself or for
 * one it is no longer joined with, whose peers it is about to lose, and most of them decide. Where nobody has it yet the
 * order does.
 */
export function keyIncumbents(contested: ContestedKeys, evidence: KeyEvidence): ReadonlyMap<string, KeyHolder> {
    const kept = new Map<string, KeyHolder>();
    if (contested.size === 0) return kept;
    const votes = countVotes(contested, evidence);
    for (const [key, claimants] of contested) {
        const counted = claimants.map((holder) => ({ holder, count: votes.get(`${holder.cluster} ${key}`) ?? 0 }));
        const most = Math.max(...counted.map(({ count }) => count));
        const winners = counted.filter(({ count }) => count === most);
        // Several nodes of the winning cluster may have it: which of them, the order decides there, as ever.
        // Those whom nobody has it of are of two clusters or more.
        const winner = winners[0]!.holder;
        if (winners.every(({ holder }) => holder.cluster === winner.cluster)) {
            kept.set(key, { ...winner, reserved: true });
        }
    }
    return kept;
}

/** How many targets have the key as a peer of the source, by `source key`. */
function countVotes(contested: ContestedKeys, { links, live }: KeyEvidence): ReadonlyMap<string, number> {
    const votes = new Map<string, number>();
    for (const [target, sources] of Object.entries(links)) {
        const voted = new Set<string>();
        for (const { labels, spec } of live.get(target)?.ours.values() ?? []) {
            const source = labels[SOURCE_LABEL] ?? "";
            const key = spec.publicKey;
            if (!contested.has(key) || voted.has(key) || !sources.includes(source)) continue;
            voted.add(key);
            votes.set(`${source} ${key}`, (votes.get(`${source} ${key}`) ?? 0) + 1);
        }
    }
    return votes;
}
