import { recordable } from "../mesh/knowledge";
import type { ClusterSpec } from "../mesh/types";
import { encodeNodes } from "../state/facts-text";
import type { Sight } from "./look";

/** What a member is told of its cluster, as its inputs have it. */
export interface MemberInputs {
    readonly nodes?: string;
    readonly unreachable?: string;
    readonly unusable?: string;
    readonly unusableFix?: string;
    readonly identity?: string;
    readonly twin?: string;
    readonly rebuilt?: string;
}

export function memberInputs(
    { name, rebuilt = rebuiltByEnvironment(name) }: Pick<ClusterSpec, "name" | "rebuilt">,
    { clusters, identities }: Pick<Sight, "clusters" | "identities">,
): MemberInputs {
    const found = clusters[name];
    if (found?.state === "silent") return { unreachable: found.reason };
    if (found?.state === "unusable") return { unusable: found.reason, unusableFix: found.fix };
    const nodes = encodeNodes((found?.state === "seen" ? found.nodes : []).map(recordable));
    const identity = identities[name];
    if (identity === undefined) return { nodes };
    const twin = Object.keys(identities).find((other) => other !== name && identities[other] === identity);
    return {
        nodes,
        identity,
        ...(twin === undefined ? {} : { twin }),
        ...(rebuilt === undefined ? {} : { rebuilt }),
    };
}

/** `KILO_CLUSTERMESH_REBUILT=<cluster>=<uid>,…`, for one run. */
const rebuiltByEnvironment = (name: string): string | undefined =>
    (process.env.KILO_CLUSTERMESH_REBUILT ?? "")
        .split(",")
        .map((entry) => entry.trim().split("="))
        .find(([cluster]) => cluster === name)?.[1];
