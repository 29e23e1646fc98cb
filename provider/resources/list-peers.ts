import type { LivePeer } from "../kilo/peer";
import { concurrencyFor, forEachBounded } from "../kube/bounded";
import type { KubeClient } from "../kube/client";
import { KubeError } from "../kube/errors/kube-error";
import { entryOf, type Ledger } from "../state/ledger";

/**
 * The peers of a target. Where the list is not what the ledger says, the object itself is looked at: a list that is
 * behind (a cache, a replica that lags) would otherwise have us give a key or network out twice, or forget a peer that
 * exists. Without drift this costs nothing.
 */
export async function listPeers(client: KubeClient, ledger: Ledger): Promise<LivePeer[]> {
    const live = new Map((await client.listPeers({})).map((peer) => [peer.name, peer]));
    const doubtful = [...ledger].filter(([name, { uid, digest }]) => {
        const listed = live.get(name);
        if (listed === undefined) return true;
        const found = entryOf(listed);
        return found.uid !== uid || found.digest !== digest;
    });
    await forEachBounded(doubtful, concurrencyFor(doubtful.length), async ([name]) => {
        const found = await client.getPeer(name).catch(missing);
        if (found === undefined) live.delete(name);
        else live.set(name, found);
    });
    return [...live.values()];
}

function missing(error: unknown): undefined {
    if (error instanceof KubeError && error.kind === "not-found") return undefined;
    throw error;
}
