import { type Declaration, joins, type Pod, podOf, podsOf } from "./declaration";
import { type KiloModel, kiloModel } from "./kilo-model";
import type { ClusterObjects, NodeRef } from "./objects";
import type { Options } from "./options";
import type { Reach, Reason } from "./reach";

export interface PairViolation {
    readonly kind: /** The program joins them, and no packet gets there and back. */
        | "unreachable"
        /** The program does not join them, and packets get there and back. */
        | "reachable"
        /** The program does not join them, and packets get there; answers do not get back. */
        | "arrives"
        /** Pods of one cluster that reach each other without any Peer, and not with these. */
        | "broken-inside";
    readonly from: Pod;
    readonly to: Pod;
    readonly reach: Reach;
}

/** Kilo would reconfigure the node every 30 seconds because of these Peers, and end its sessions each time. */
export interface NodeViolation {
    readonly kind: "churns";
    readonly at: NodeRef;
}

export type Violation = PairViolation | NodeViolation;

export interface Case {
    readonly clusters: Readonly<Record<string, ClusterObjects>>;
    readonly declaration: Declaration;
    readonly options?: Options;
    /** Judged instead of agents that start now: the same clusters, followed from event to event. */
    readonly model?: Pick<KiloModel, "reach" | "notReady" | "wireguard">;
}

/** Every ordered pair of pods for which the objects do not make what the program says, and every node they disturb. */
export function judge({
    clusters,
    declaration,
    options,
    model = kiloModel(clusters, options),
}: Case): readonly Violation[] {
    const pods = podsOf(clusters, declaration, model);
    const joined = joins(declaration);
    let bare: KiloModel | undefined;
    const withoutPeers = (): KiloModel => {
        const nodesOnly = Object.entries(clusters).map(([name, { nodes }]) => [name, { nodes, peers: [] }]);
        bare ??= kiloModel(Object.fromEntries(nodesOnly), options);
        return bare;
    };
    const found: Violation[] = [];
    for (const from of pods) {
        for (const to of pods) {
            if (from.node === to.node && from.cluster === to.cluster) continue;
            if (typeof from.parsed !== typeof to.parsed) continue;
            const reach = model.reach(from, to);
            const kind =
                from.cluster !== to.cluster
                    ? verdict(joined(from, to), reach)
                    : !reach.ok && withoutPeers().reach(from, to).ok
                      ? "broken-inside"
                      : undefined;
            if (kind !== undefined) found.push({ kind, from: podOf(from), to: podOf(to), reach });
        }
    }
    for (const [cluster, { nodes }] of Object.entries(clusters)) {
        for (const { metadata } of nodes) {
            const at = { cluster, node: metadata?.name ?? "" };
            const churns = (judged: typeof model): boolean => judged.wireguard(cluster, at.node).churns;
            if (churns(model) && !churns(withoutPeers())) found.push({ kind: "churns", at });
        }
    }
    return found;
}

/** What gets through between two checks of an agent is no way to be joined, but it is one to leak. */
const UNSTABLE: ReadonlySet<Reason> = new Set<Reason>(["learnt-endpoint-wiped", "roaming-reset"]);

function verdict(joined: boolean, reach: Reach): PairViolation["kind"] | undefined {
    if (joined) return reach.ok ? undefined : "unreachable";
    if (reach.ok || UNSTABLE.has(reach.reason)) return "reachable";
    return reach.direction === "back" ? "arrives" : undefined;
}

export function violationText(violation: Violation): string {
    if (violation.kind === "churns") return `${violation.at.node} churns`;
    const { kind, from, to, reach } = violation;
    return `${from.node} → ${to.node} ${kind}${reach.ok ? "" : ` (${reach.reason})`}`;
}
