import type { KubePeer } from "../../provider/kilo/types";
import type { PlannedPeer } from "../../provider/mesh/types";
import { encodePeer, lineOfLive } from "../../provider/state/peer-text";
import { CLAIM_LABEL, OWNER_ANNOTATION } from "../../provider/values/labels";

/**
 * A peer of ours whose labels were taken away still says in its annotation whose it is. Planning then counts it as ours,
 * so that it is repaired; whether it really is that object, and not a copy, is decided by its uid when it is written.
 */
export function recognise(peers: readonly KubePeer[], owner: string, claim: string): readonly KubePeer[] {
    return peers.map((peer) =>
        peer.metadata?.labels?.[CLAIM_LABEL] === undefined && peer.metadata?.annotations?.[OWNER_ANNOTATION] === owner
            ? { ...peer, metadata: { ...peer.metadata, labels: { ...peer.metadata.labels, [CLAIM_LABEL]: claim } } }
            : peer,
    );
}

/**
 * How the live peers of one target differ from the plan, in words, by name. What is merely new or changed in the plan is
 * here too: the peer set knows what was written before and keeps only what drifted.
 */
export function findDrift(
    planned: Readonly<Record<string, PlannedPeer>>,
    live: readonly KubePeer[],
    owner: string,
    claim: string,
): Record<string, string> {
    const own = new Map<string, KubePeer>();
    for (const [index, peer] of recognise(live, owner, claim).entries()) {
        if (peer.metadata?.labels?.[CLAIM_LABEL] === claim) own.set(peer.metadata.name ?? "", live[index]!);
    }
    const drift: Record<string, string> = {};
    for (const [name, wanted] of Object.entries(planned)) {
        const found = own.get(name);
        if (found === undefined) drift[name] = "missing in the cluster, will be created";
        else if (lineOfLive(found) !== encodePeer(wanted)) drift[name] = `is ${lineOfLive(found)}, will be restored`;
        else if (!hasLabels(found, wanted)) drift[name] = "its labels were changed, will be restored";
    }
    for (const name of own.keys()) {
        if (!Object.hasOwn(planned, name)) drift[name] = "left over from an interrupted run, will be deleted";
    }
    return drift;
}

const hasLabels = (found: KubePeer, wanted: PlannedPeer): boolean =>
    Object.entries(wanted.labels).every(([key, value]) => found.metadata?.labels?.[key] === value);
