import type { NewPeer, PeerPatch } from "../kube/peer-calls";
import type { LivePeer } from "../kube/objects";
import { decodePeer } from "../state/peer-text";
import {
    CLAIM_LABEL,
    CONFIGURED_ANNOTATION,
    DISCOVERED_ANNOTATION,
    MANAGED_BY,
    MANAGED_BY_LABEL,
    MESH_LABEL,
    OWNER_ANNOTATION,
    SOURCE_LABEL,
} from "../values/labels";
import type { WantedPeer } from "./writes";

/** What goes onto every object we write, besides the spec. */
export interface Ownership {
    readonly mesh: string;
    readonly claim: string;
    /** organization/project/stack/mesh, for people only. */
    readonly owner: string;
}

export function labelsOf(ownership: Ownership, source: string): Record<string, string> {
    return {
        [MESH_LABEL]: ownership.mesh,
        [SOURCE_LABEL]: source,
        [CLAIM_LABEL]: ownership.claim,
        [MANAGED_BY_LABEL]: MANAGED_BY,
    };
}

export function isLabelled(ownership: Ownership, live: LivePeer, source: string): boolean {
    return Object.entries(labelsOf(ownership, source)).every(([key, value]) => live.metadata.labels?.[key] === value);
}

export function newPeer(ownership: Ownership, { name, source, line }: WantedPeer): NewPeer {
    const { spec, annotations } = decodePeer(line);
    return {
        name,
        labels: labelsOf(ownership, source),
        annotations: { [OWNER_ANNOTATION]: ownership.owner, ...annotations },
        spec,
    };
}

/** A patch that leaves nothing of what it replaces: everything we do not want is set to null. */
export function patchTo(ownership: Ownership, { source, line }: WantedPeer, uid: string): PeerPatch {
    const { spec, annotations } = decodePeer(line);
    return {
        metadata: {
            uid,
            labels: labelsOf(ownership, source),
            annotations: {
                [DISCOVERED_ANNOTATION]: null,
                [CONFIGURED_ANNOTATION]: null,
                [OWNER_ANNOTATION]: ownership.owner,
                ...annotations,
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
