import { endpointNames } from "../../provider/kilo/endpoint";
import { readDiscovered } from "../../provider/kilo/observations";
import { readNodes } from "../../provider/kilo/read-nodes";
import type { KubePeer } from "../../provider/kilo/types";
import type { ClusterSpec } from "../../provider/mesh/types";
import type { Observations, ObserveOptions } from "../../provider/observe/observe-clusters";
import { observeTarget } from "../../provider/observe/observe-target";
import { resolveNames } from "../../provider/observe/resolve-names";
import { encodeFacts } from "../../provider/state/facts-text";

type Observe = typeof import("../../provider/observe/observe-clusters");

/** What one cluster looked like when this run began. */
export type Seen =
    | {
          readonly reachable: true;
          readonly nodes: Readonly<Record<string, string>>;
          readonly discovered: Readonly<Record<string, string>>;
          readonly peers: readonly KubePeer[];
      }
    | { readonly reachable: false; readonly reason: string };

export interface Sight {
    readonly clusters: Readonly<Record<string, Seen>>;
    /** Kubeconfigs that were read from Secrets. */
    readonly kubeconfigs: Readonly<Record<string, string>>;
    readonly unresolvable: readonly string[];
    /** Clusters that answer but cannot be used: one line each, with its fix. */
    readonly refusals: readonly string[];
}

export const NOTHING_SEEN: Sight = { clusters: {}, kubeconfigs: {}, unresolvable: [], refusals: [] };

/** Reads all clusters at once. Facts are public: nothing of a kubeconfig is in the result but `kubeconfigs`. */
export async function look(
    clusters: readonly ClusterSpec[],
    requestTimeoutSeconds: number,
    options: Pick<ObserveOptions, "clock"> = {},
): Promise<Sight> {
    // Loaded here and not earlier: it brings the HTTP client, and the engine starts our provider meanwhile.
    const { observeClusters }: Observe = require("../../provider/observe/observe-clusters");
    const observed: Observations = await observeClusters(clusters.map(observeTarget), {
        ...options,
        requestTimeoutSeconds,
    });
    const seen: Record<string, Seen> = {};
    const refusals: string[] = [];
    const names = new Set<string>();
    const now = Math.floor(Date.now() / 1000);
    for (const cluster of clusters) {
        const found = observed.clusters[cluster.name];
        if (found === undefined) continue;
        if (!found.ok) {
            if (found.kind !== "unreachable") refusals.push(`${found.message}: ${found.fix}`);
            seen[cluster.name] = { reachable: false, reason: found.message };
            continue;
        }
        const facts = readNodes(found.nodes, cluster, now);
        for (const name of endpointNames(facts)) names.add(name);
        seen[cluster.name] = {
            reachable: true,
            nodes: Object.fromEntries(facts.map((node) => [node.name, encodeFacts(node)])),
            discovered: readDiscovered(found.nodes),
            peers: found.peers,
        };
    }
    const { unresolvable } = await resolveNames([...names].sort(), { timeoutSeconds: requestTimeoutSeconds });
    return { clusters: seen, kubeconfigs: observed.kubeconfigs, unresolvable, refusals };
}
