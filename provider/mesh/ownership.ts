import type { LivePeer } from "../kilo/peer";
import { CLAIM_LABEL, MANAGED_BY, MANAGED_BY_LABEL, MESH_ID_LABEL, MESH_LABEL, SOURCE_LABEL } from "../values/labels";

/** What proves that an object in a target is ours. */
export interface Proof {
    /** Of this member; none yet for one that is new. */
    readonly claim: string | undefined;
    /** The claim of our objects when they were last recorded: a replaced member has another claim now. */
    readonly formerClaim?: string | undefined;
    readonly meshId: string | undefined;
    /** Claims of all members that the mesh has now; only a run that plans knows them. */
    readonly present?: ReadonlySet<string | undefined>;
    /** Uids of the objects that our ledger knows, by name; only the peer set itself has it. */
    readonly recorded?: ReadonlyMap<string, { readonly uid: string }>;
    readonly adopt?: Adoption | undefined;
    /** Names that the run which planned said to take over, and the mesh they must be of. */
    readonly named?: { readonly names: ReadonlySet<string>; readonly mesh: string };
}

/** Which labels make an object ours by order of the user. */
export interface Adoption {
    readonly mesh: string;
    readonly sources: ReadonlySet<string | undefined>;
}

/**
 * - `ours`: it has our claim, or our ledger knows it and nobody else claims it
 * - `taken over`: it has our mesh's own random id, and the member that claimed it is no more (renamed, replaced)
 * - `adopted`: by order of the user
 * - `foreign`: everything else; it is never touched
 */
export type Whose = "ours" | "taken over" | "adopted" | "foreign";

/** The one decision whose an object is. Names and owner annotations prove nothing. */
export function whose({ name, uid, labels }: LivePeer, proof: Proof): Whose {
    const claim = labels[CLAIM_LABEL];
    if (claim !== undefined && claim !== "" && claim === proof.claim) return "ours";
    const isRecorded = uid !== "" && proof.recorded?.get(name)?.uid === uid;
    if (isRecorded && (claim === undefined || claim === proof.formerClaim)) return "ours";
    const { present, named, meshId } = proof;
    const isOfMesh = meshId !== undefined && meshId !== "" && labels[MESH_ID_LABEL] === meshId;
    if (isOfMesh && present !== undefined && !present.has(claim)) return "taken over";
    if (named?.names.has(name) && (isOfMesh || labels[MESH_LABEL] === named.mesh)) return "taken over";
    return isAdoptable(labels, proof.adopt) ? "adopted" : "foreign";
}

/**
 * Nothing says whose it is. Under a name and with a key of ours it may be an object of ours whose labels were removed. One
 * that names its mesh and was not made by Pulumi is an operator's: it is for the user to adopt it.
 */
export function isUnclaimed({ labels }: LivePeer): boolean {
    if (labels[CLAIM_LABEL] !== undefined || labels[MESH_ID_LABEL] !== undefined) return false;
    return labels[MESH_LABEL] === undefined || labels[MANAGED_BY_LABEL] === MANAGED_BY;
}

function isAdoptable(labels: LivePeer["labels"], adopt: Adoption | undefined): boolean {
    return adopt !== undefined && labels[MESH_LABEL] === adopt.mesh && adopt.sources.has(labels[SOURCE_LABEL]);
}
