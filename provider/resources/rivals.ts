import type { LivePeer } from "../kilo/peer";
import type { KubeClient } from "../kube/client";
import { MESH_ID_LABEL } from "../values/labels";
import { type Applied, heldText, type Population, sayError } from "./apply-writes";
import { contention } from "./contention";
import type { Reporter } from "./host";
import type { Marks } from "./peer-object";
import { held } from "./writes";

/**
 * Two meshes that start at the same time do not see each other's peers while they plan. After its creates a run looks again:
 * of two objects that are new in both runs, the mesh with the later id removes its own. What was there before never yields.
 * Only peers of other meshes are listed: a hub may have thousands of ours.
 */
export async function yieldToRivals(
    client: KubeClient,
    { meshId }: Marks,
    { foreign }: Population,
    { ledger, failures, created }: Applied,
    reporter: Reporter,
): Promise<void> {
    if (created.length === 0 || meshId === undefined) return;
    const known = new Set(foreign.map(({ uid }) => uid));
    const labelSelector = `${MESH_ID_LABEL},${MESH_ID_LABEL}!=${meshId}`;
    // what was written is written: a second look that fails must not lose the record of it
    const others = await client.listPeers({ labelSelector }).catch((error: unknown) => {
        reporter.warn(`whether another mesh wrote the same keys at the same time is not known: ${sayError(error)}`);
        return [];
    });
    const mine = created.filter(({ name, uid }) => ledger.get(name)?.uid === uid);
    const rivals = others.filter((peer) => !known.has(peer.uid) && isEarlier(peer, meshId));
    const contested = contention(rivals.map(held), mine.map(held));
    for (const { name, uid } of mine) {
        const holders = contested.get(name);
        if (holders === undefined) continue;
        const why = `${holders.join(", ")} of another mesh was created at the same time with its key or one of its networks`;
        const outcome = await client.deletePeer(name, uid).catch((error: unknown) => ({ error }));
        if (typeof outcome === "object") {
            const what = "error" in outcome ? sayError(outcome.error) : heldText(outcome.terminating);
            failures.set(name, `${name}: to be removed again, because ${why}; ${what}`);
            continue;
        }
        ledger.delete(name);
        failures.set(
            name,
            `${name}: removed again, because ${why}; ` +
                "the tunnel of that one may need up to 5 minutes. Join each pair of nodes in one mesh only.",
        );
    }
}

const isEarlier = ({ labels }: LivePeer, meshId: string): boolean => {
    const id = labels[MESH_ID_LABEL];
    return id !== undefined && id < meshId;
};
