import type { LivePeer } from "../provider/kilo/peer";
import { mostCommon } from "../provider/mesh/segments/holdings";
import { CLAIM_LABEL, MESH_ID_LABEL, MESH_LABEL } from "../provider/values/labels";
import type { Sight } from "./sight";

/** What a stack has in its state, read from the objects instead: there is no state here. */
export interface FoundClaims {
    readonly meshId: string | undefined;
    /** By target. */
    readonly claims: Readonly<Record<string, string>>;
}

/** Of the objects with the label of this mesh: the id that most of them have, and in each target the claim that goes with it. */
export function claimsFound(mesh: string, { clusters }: Sight): FoundClaims {
    const peers = Object.entries(clusters).map(([name, cluster]) => {
        const all = cluster.state === "seen" ? cluster.peers : [];
        return [name, all.filter(({ labels }) => labels[MESH_LABEL] === mesh)] as const;
    });
    const everywhere = peers.flatMap(([, own]) => own);
    const meshId = mostCommon(valuesOf(everywhere, MESH_ID_LABEL));
    // objects of 0.1.0 have no id
    const isOfStack = ({ labels }: LivePeer): boolean => (labels[MESH_ID_LABEL] ?? meshId) === meshId;
    const claims = peers.map(([name, own]) => [name, mostCommon(valuesOf(own.filter(isOfStack), CLAIM_LABEL)) ?? ""]);
    return { meshId, claims: Object.fromEntries(claims) };
}

const valuesOf = (peers: readonly LivePeer[], label: string): readonly string[] =>
    peers.flatMap(({ labels }) => labels[label] || []);
