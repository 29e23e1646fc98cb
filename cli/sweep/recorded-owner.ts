import { UsageError } from "../failure";
import type { StackRecord } from "../stack/read-stack";
import type { NamedOwner } from "./named-owner";

/** The mesh of a stack: what its state lists is in use, and its other members' claims speak against the mesh id. */
export function recordedOwner(stack: string, { meshId, members, ledgers, isPending }: StackRecord): NamedOwner {
    if (isPending) {
        // what an update has just created is in no ledger yet, and would be offered
        throw new UsageError(
            `an update of the stack ${stack} is under way, or was cut off`,
            "Wait until it has ended; if it was cut off, run `pulumi up` there first",
        );
    }
    const claims = Object.values(members).flatMap(({ claim }) => (claim === "" ? [] : [claim]));
    const identities = Object.entries(members).flatMap(([cluster, { inputs }]) =>
        typeof inputs.identity === "string" && inputs.identity !== "" ? [[cluster, inputs.identity] as const] : [],
    );
    return {
        of: `stack ${stack}`,
        owner: {
            proofIn: (cluster) => ({
                claim: members[cluster]?.claim || undefined,
                meshId: meshId || undefined,
                present: new Set(claims),
            }),
            ledgers,
            identities: Object.fromEntries(identities),
        },
    };
}
