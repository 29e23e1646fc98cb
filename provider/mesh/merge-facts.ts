import type { NodeFacts } from "../kilo/types";

export interface MergedFacts {
    readonly facts: readonly NodeFacts[];
    /** Nodes that exist but whose Kilo annotations are gone for the moment. */
    readonly keptNodes: readonly string[];
    /** The cluster listed no node at all, and its last known ones were kept. */
    readonly keptAll: boolean;
}

/** What Kilo itself writes, and takes away at every clean stop (docs/kilo.md: a clean stop removes annotations). */
const WRITTEN_BY_KILO = ["key", "wireguardIP", "kiloEndpoint", "granularity"] as const;

/** Fills a brief gap from what was known before: pruning on a glitch is worse than a dead tunnel. */
export function mergeFacts(
    last: readonly NodeFacts[],
    fresh: readonly NodeFacts[],
    { allowEmpty = false }: { readonly allowEmpty?: boolean } = {},
): MergedFacts {
    if (fresh.length === 0 && last.length > 0 && !allowEmpty) return { facts: last, keptNodes: [], keptAll: true };
    if (last.length === 0) return { facts: fresh, keptNodes: [], keptAll: false };
    const known = new Map(last.map((node) => [node.name, node]));
    const keptNodes: string[] = [];
    const facts = fresh.map((node) => {
        const before = known.get(node.name);
        if (before === undefined || !isBare(node) || isBare(before)) return node;
        keptNodes.push(node.name);
        return withKiloFactsOf(before, node);
    });
    return { facts, keptNodes, keptAll: false };
}

export function isBare(node: NodeFacts): boolean {
    return WRITTEN_BY_KILO.every((field) => node[field] === undefined);
}

/** force-internal-ip is the user's and survives a restart; only where it is not set was the address Kilo's. */
function withKiloFactsOf(before: NodeFacts, node: NodeFacts): NodeFacts {
    const kept: Record<string, string> = {};
    for (const field of WRITTEN_BY_KILO) {
        const value = before[field];
        if (value !== undefined) kept[field] = value;
    }
    if (node.kiloInternalIP !== undefined || node.noInternalIP === true) return { ...node, ...kept };
    return {
        ...node,
        ...kept,
        ...(before.kiloInternalIP === undefined ? {} : { kiloInternalIP: before.kiloInternalIP }),
        ...(before.noInternalIP === true ? { noInternalIP: true } : {}),
    };
}
