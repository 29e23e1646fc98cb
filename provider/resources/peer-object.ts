import { adoptionOf, type WantedPeer } from "../kilo/peer";
import type { NewPeer, PeerPatch } from "../kube/peer-calls";
import { peerLabels } from "../mesh/names";
import { CONFIGURED_ANNOTATION, DISCOVERED_ANNOTATION, OWNER_ANNOTATION } from "../values/labels";

/** What goes onto every object we write, besides the spec. */
export interface Marks {
    readonly mesh: string;
    readonly claim: string;
    readonly meshId: string | undefined;
    /** organization/project/stack/mesh, for people only. */
    readonly owner: string;
}

export const labelsOf = ({ mesh, claim, meshId }: Marks, source: string): Readonly<Record<string, string>> =>
    peerLabels(mesh, source, claim, meshId);

export function newPeer(marks: Marks, { name, source, peer }: WantedPeer): NewPeer {
    return {
        name,
        labels: labelsOf(marks, source),
        annotations: { [OWNER_ANNOTATION]: marks.owner, ...adoptionOf(peer) },
        spec: peer.spec,
    };
}

/** A patch that leaves nothing of what it replaces: everything we do not want is set to null. */
export function patchTo(marks: Marks, { source, peer }: WantedPeer, uid: string): PeerPatch {
    const { spec } = peer;
    return {
        metadata: {
            uid,
            labels: labelsOf(marks, source),
            annotations: {
                [DISCOVERED_ANNOTATION]: null,
                [CONFIGURED_ANNOTATION]: null,
                [OWNER_ANNOTATION]: marks.owner,
                ...adoptionOf(peer),
            },
        },
        spec: {
            allowedIPs: spec.allowedIPs,
            publicKey: spec.publicKey,
            endpoint: spec.endpoint ?? null,
            persistentKeepalive: spec.persistentKeepalive ?? null,
            presharedKey: null,
        },
    };
}
