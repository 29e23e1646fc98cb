import type { KnownNode } from "../kilo/types";
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

const texts = new WeakMap<readonly KnownNode[], string>();

/** What a member records of the nodes that were seen, as text. Made once: it is asked for when they are recorded and when they are compared. */
export function recordedNodes(nodes: readonly KnownNode[]): string {
    const made = texts.get(nodes) ?? encodeNodes(nodes.map(recordable));
    texts.set(nodes, made);
    return made;
}

export function memberInputs(
    { name, rebuilt = rebuiltByEnvironment(name) }: Pick<ClusterSpec, "name" | "rebuilt">,
    { clusters, identities }: Pick<Sight, "clusters" | "identities">,
): MemberInputs {
    const found = clusters[name];
    if (found?.state === "silent") return { unreachable: found.reason };
    if (found?.state === "unusable") return { unusable: found.reason, unusableFix: found.fix };
    const nodes = found?.state === "seen" ? recordedNodes(found.nodes) : "";
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
