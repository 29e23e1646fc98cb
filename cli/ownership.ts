import type { LivePeer } from "../provider/kube/objects";
import { peerName } from "../provider/mesh/names";
import { CLAIM_LABEL, MESH_LABEL, OWNER_ANNOTATION, SOURCE_LABEL } from "../provider/values/labels";

/** A live peer of the mesh. There is no state here, so labels, annotation and name have to tell. */
export interface MeshPeer {
    readonly name: string;
    /** The cluster it stands for; may be one that is not in the mesh file any more. */
    readonly source: string;
    readonly live: LivePeer;
    /** Bears the claim of a stack. Without one it is an operator's, or was made by hand. */
    readonly claim?: string;
}

/** Given to the planner in place of the claims that only a stack knows. */
export const STAND_IN_CLAIM = "seen-by-the-command-line";

/** The mesh's own peers among all of a target, by name. */
export function meshPeers(
    mesh: string,
    target: string,
    clusters: readonly string[],
    peers: readonly LivePeer[],
): ReadonlyMap<string, MeshPeer> {
    const found = new Map<string, MeshPeer>();
    for (const live of peers) {
        const { name, labels = {} } = live.metadata;
        const source = sourceOf(mesh, clusters, live);
        if (source === undefined || source === target) continue;
        const claim = labels[CLAIM_LABEL];
        found.set(name, { name, source, live, ...(claim ? { claim } : {}) });
    }
    return found;
}

/** Labels and name agree; or the labels were taken away, and the annotation still says whose it is. */
function sourceOf(mesh: string, clusters: readonly string[], { metadata }: LivePeer): string | undefined {
    const { name, labels = {}, annotations = {} } = metadata;
    const source = labels[SOURCE_LABEL];
    if (labels[MESH_LABEL] === mesh && source !== undefined) {
        return name.startsWith(prefix(mesh, source)) ? source : undefined;
    }
    if (!annotations[OWNER_ANNOTATION]?.endsWith(`/${mesh}`)) return undefined;
    return clusters.find((cluster) => name.startsWith(prefix(mesh, cluster)));
}

const prefix = (mesh: string, source: string): string => peerName(mesh, source, "x").slice(0, -1);

/** All peers of a target as the planner should see them: those of the mesh bear the claim that we give it. */
export const asOwned = (peers: readonly LivePeer[], own: ReadonlyMap<string, MeshPeer>): readonly LivePeer[] =>
    peers.map((peer) =>
        own.has(peer.metadata.name)
            ? {
                  ...peer,
                  metadata: { ...peer.metadata, labels: { ...peer.metadata.labels, [CLAIM_LABEL]: STAND_IN_CLAIM } },
              }
            : peer,
    );
