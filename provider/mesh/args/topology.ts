import { byText } from "../../values/show";
import type { Topology } from "../types";

/**
 * The sources that each target sees, both sorted. Without a topology every cluster sees every other; `hubs` links each
 * hub with every cluster, `links` exactly the pairs it lists, and given together they add up. Links go both ways.
 */
export function linkedPairs(
    clusters: readonly string[],
    topology: Topology | undefined,
): Readonly<Record<string, readonly string[]>> {
    const names = [...clusters].sort(byText);
    const sources = new Map(names.map((name) => [name, new Set<string>()]));
    const link = (a: string, b: string): void => {
        const ofA = sources.get(a);
        const ofB = sources.get(b);
        if (a === b || ofA === undefined || ofB === undefined) return;
        ofA.add(b);
        ofB.add(a);
    };
    const isFull = topology?.hubs === undefined && topology?.links === undefined;
    for (const hub of isFull ? names : (topology.hubs ?? [])) for (const name of names) link(hub, name);
    for (const { a, b } of topology?.links ?? []) link(a, b);
    return Object.fromEntries([...sources].map(([name, linked]) => [name, [...linked].sort(byText)]));
}
