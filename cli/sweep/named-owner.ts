import { CLAIM_LABEL, MESH_ID_LABEL } from "../../provider/values/labels";
import { UsageError } from "../failure";
import type { Owner } from "./judge";

/** An owner, and how the user named it. */
export interface NamedOwner {
    readonly of: string;
    readonly owner: Owner;
}

/** By the ids on the command line. No state is read: nothing counts as listed. */
export function namedOwner({ claim, meshId }: { readonly claim?: string; readonly meshId?: string }): NamedOwner {
    if (claim !== undefined && meshId !== undefined) {
        throw new UsageError("sweep takes either --claim or --mesh-id", "Give one of them");
    }
    if (claim !== undefined) {
        requireId("--claim", claim);
        return { of: `claim ${claim}`, owner: { proofIn: () => ({ claim, meshId: undefined }) } };
    }
    if (meshId !== undefined) {
        requireId("--mesh-id", meshId);
        // without state no member is known, so no claim speaks against the id
        const proof = { claim: undefined, meshId, present: new Set<string>() };
        return { of: `mesh id ${meshId}`, owner: { proofIn: () => proof } };
    }
    throw new UsageError(
        "sweep needs to know whose peers it looks for",
        `Give --stack; where the state is lost, --claim or --mesh-id, which kubectl get peers -L ${CLAIM_LABEL},${MESH_ID_LABEL} shows`,
    );
}

/** A label value. What is not one cannot be on any object, so it was mistyped. */
function requireId(flag: string, id: string): void {
    if (/^[\w.-]{1,63}$/.test(id)) return;
    throw new UsageError(`${flag} cannot be ${JSON.stringify(id)}`, "Give the value of the label as kubectl shows it");
}
