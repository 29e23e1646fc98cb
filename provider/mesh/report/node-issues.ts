import { isKept } from "../../kilo/leader";
import type { KnownNode } from "../../kilo/types";
import { shown } from "../../values/show";
import type { ClusterModel } from "../segments/cluster-model";
import type { NodeState } from "../segments/identity";
import type { Issue } from "../types";
import { issue } from "./findings";

const GRANULARITIES: ReadonlySet<string | undefined> = new Set(["full", "cross", "location"]);

/** What is worth knowing about the nodes of one cluster. */
export function nodeIssues(
    { name: cluster, spec }: ClusterModel,
    states: readonly NodeState[],
    unaddressed: readonly string[],
): readonly Issue[] {
    const carried = states.filter((state) => state.carried).map(({ node }) => node);
    const found: Issue[] = [];
    const note = (code: "NodeStale" | "GranularityUnknown" | "NatWithoutKeepalive", nodes: readonly KnownNode[]) => {
        if (nodes.length > 0) found.push(issue(code, { cluster, nodes: nodes.map(({ name }) => name) }));
    };
    note(
        "NodeStale",
        carried.filter(({ stale }) => stale === true),
    );
    note(
        "GranularityUnknown",
        carried.filter(({ granularity }) => !GRANULARITIES.has(granularity)),
    );
    note("NatWithoutKeepalive", spec.nat === true ? carried.filter(({ dials }) => dials !== true) : []);
    const kept = carried.filter(isKept).map(({ name, kept }) => `${shown(name)} (${kept!.join(", ")})`);
    if (kept.length > 0) found.push(issue("NodeFactsKept", { cluster, nodes: kept }));
    if (unaddressed.length > 0) found.push(issue("WireguardAddressLeftOut", { cluster, nodes: unaddressed }));
    if (states.length > 0 && states.every(({ selected }) => !selected)) found.push(issue("SelectorEmpty", { cluster }));
    const unknown = (spec.excludeNodes ?? []).filter((name) => !states.some(({ node }) => node.name === name));
    if (unknown.length > 0) found.push(issue("ExcludedNodeUnknown", { cluster, nodes: unknown }));
    return found;
}
