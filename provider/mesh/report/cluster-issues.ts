import { isSetUp } from "../../kilo/public-key";
import type { KnownNode } from "../../kilo/types";
import type { Knowledge } from "../knowledge";
import type { Issue } from "../types";
import { issue } from "./findings";

/** What is worth knowing about how well a cluster is known. */
export function clusterIssues(
    cluster: string,
    knowledge: Knowledge,
    all: Readonly<Record<string, Knowledge>>,
    nodes: readonly KnownNode[],
    keptAll: boolean,
): readonly Issue[] {
    if (knowledge.state === "unknown") return [];
    if (knowledge.state === "seen") {
        if (keptAll) return [issue("ClusterEmpty", { cluster, nodes: nodes.map(({ name }) => name) })];
        return nodes.some(isSetUp) ? [] : [issue("ClusterNoNodes", { cluster })];
    }
    const { reason, fix, holder } = knowledge;
    // the one that holds its kubeconfig is named, and that is the cause of both
    if (holder !== undefined && all[holder]?.state === knowledge.state) return [];
    if (reason === "") return [];
    const since = knowledge.since === undefined ? "in this run" : `since ${knowledge.since}`;
    return [
        knowledge.state === "silent"
            ? issue("ClusterSilent", { cluster, reason, fix, since })
            : issue("ClusterUnusable", { cluster, reason, fix, since }),
    ];
}
