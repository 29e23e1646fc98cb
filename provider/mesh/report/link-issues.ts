import type { ClusterModel } from "../segments/cluster-model";
import type { Issue } from "../types";
import { issue } from "./findings";

/** Links that are missing, or that cannot work. */
export function linkIssues(
    models: readonly ClusterModel[],
    links: Readonly<Record<string, readonly string[]>>,
): readonly Issue[] {
    const natted = new Set(models.filter(({ spec }) => spec.nat === true).map(({ name }) => name));
    return models.flatMap(({ name, accepted }) => {
        const linked = links[name]!;
        const behindNat = natted.has(name) ? linked.filter((other) => natted.has(other)) : [];
        return [
            ...(linked.length === 0 ? [issue("ClusterUnlinked", { cluster: name })] : []),
            ...(behindNat.length > 0 ? [issue("NatToNat", { cluster: name, others: behindNat })] : []),
            ...(accepted?.length === 0 ? [issue("AcceptsNothing", { cluster: name })] : []),
        ];
    });
}
