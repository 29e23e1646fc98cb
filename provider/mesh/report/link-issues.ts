import { few, shown } from "../../values/show";
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
        const linked = links[name] ?? [];
        const behindNat = natted.has(name) ? linked.filter((other) => natted.has(other)) : [];
        return [
            ...(linked.length === 0 ? [unlinked(name)] : []),
            ...(behindNat.length > 0 ? [undialled(name, behindNat)] : []),
            ...(accepted?.length === 0 ? [closed(name)] : []),
        ];
    });
}

function unlinked(name: string): Issue {
    const message = `${shown(name)} is linked with no other cluster`;
    return issue(
        "warning",
        "ClusterUnlinked",
        name,
        message,
        "name it in topology.links or topology.hubs, or remove it",
    );
}

/** docs/kilo.md: one side has to dial, and neither knows where. */
function undialled(name: string, others: readonly string[]): Issue {
    const message = `${shown(name)} and ${few(others.map(shown))} are all behind NAT: no tunnel between them can open`;
    const fix = "link them through a hub that has public endpoints, or set nat: false where an endpoint can be reached";
    return issue("warning", "NatToNat", name, message, fix);
}

function closed(name: string): Issue {
    const message = `acceptedNetworks of ${shown(name)} is empty: no peer is written into it`;
    return issue(
        "warning",
        "AcceptsNothing",
        name,
        message,
        "list what it should let in, or leave acceptedNetworks out",
    );
}
