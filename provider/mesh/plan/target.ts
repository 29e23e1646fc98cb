import type { Observations } from "../../kilo/observations";
import { type OverlapFinder, overlapFinder } from "../../net/overlaps";
import type { NetworkUser } from "../segments/build-segments";
import type { ClusterModel } from "../segments/cluster-model";
import type { ContestedKeys } from "../segments/contested-keys";
import type { Source } from "../segments/sources";
import type { LivePeers } from "./classify";

/** One target and everything that decides what may be written into it. */
export interface Target {
    readonly mesh: string;
    readonly meshId: string | undefined;
    readonly cluster: ClusterModel;
    readonly claim: string | undefined;
    readonly live: LivePeers;
    /** By public key, what this target's nodes observed. Every peer is looked up: a map is faster for that than a record. */
    readonly observed: ReadonlyMap<string, readonly string[]>;
    /** Whether one of its own nodes has the key, given that a node of another cluster has it. */
    readonly hasKey: (key: string) => boolean;
    /** Some key of the mesh is on nodes of several clusters. */
    readonly isContested: boolean;
    /** Who uses an address of the network in this target: its own nodes, or a peer that is not ours. */
    readonly usedBy: OverlapFinder<NetworkUser>;
    /** Addresses at which its own nodes are reached. */
    readonly endpoints: readonly string[];
    readonly unresolvable: ReadonlySet<string>;
    /** Addresses of DNS names. */
    readonly resolved: Readonly<Record<string, string>>;
}

export interface TargetContext extends Pick<Target, "mesh" | "meshId" | "unresolvable" | "resolved"> {
    readonly contested: ContestedKeys;
}

export function targetOf(
    { cluster, built, endpoints }: Source,
    claim: string | undefined,
    live: LivePeers,
    observed: Observations,
    { contested, ...context }: TargetContext,
): Target {
    return {
        ...context,
        cluster,
        claim,
        live,
        observed: new Map(Object.entries(observed)),
        // the first one holds it: whoever else claims it has it on a node of its own
        hasKey: (key) =>
            contested
                .get(key)
                ?.slice(1)
                .some((holder) => holder.cluster === cluster.name) === true,
        isContested: contested.size > 0,
        usedBy: overlapFinder([...live.foreignNetworks, ...built.used]),
        endpoints,
    };
}
