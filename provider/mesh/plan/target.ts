import { type OverlapFinder, overlapFinder } from "../../net/overlaps";
import { own } from "../../values/untrusted";
import type { NetworkUser } from "../segments/build-segments";
import type { ClusterModel } from "../segments/cluster-model";
import type { ReadMesh, Source } from "../segments/sources";
import type { FactsInput } from "../types";
import { type LivePeers, readLivePeers } from "./classify";

/** One target and everything that decides what may be written into it. */
export interface Target {
    readonly cluster: ClusterModel;
    readonly claim: string | undefined;
    readonly live: LivePeers;
    /** Public key to what this target's nodes observed. */
    readonly observed: unknown;
    /** Whether one of its own nodes has the key, given that a node of another cluster has it. */
    readonly hasKey: (key: string) => boolean;
    /** Who uses an address of the network in this target: its own nodes, or a peer that is not ours. */
    readonly usedBy: OverlapFinder<NetworkUser>;
    /** Addresses at which its own nodes are reached. */
    readonly endpoints: readonly string[];
    readonly unresolvable: ReadonlySet<string>;
}

/** Makes targets of sources. */
export function targetReader(
    { mesh, claims, livePeers, adopt = false, unresolvable: names = [] }: Omit<FactsInput, "facts" | "discovered">,
    { sources, sharedKeys }: ReadMesh,
): (source: Source) => Target {
    const clusters = new Set(sources.keys());
    const unresolvable = new Set(names);
    return ({ cluster, built, observed, endpoints }) => {
        const given = own(claims, cluster.name);
        const claim = typeof given === "string" && given !== "" ? given : undefined;
        const ownership = { mesh, target: cluster.name, clusters, claim, adopt };
        const live = readLivePeers(own(livePeers, cluster.name), ownership);
        return {
            cluster,
            claim,
            live,
            observed,
            hasKey: (key) => sharedKeys.get(key)?.has(cluster.name) === true,
            usedBy: overlapFinder([...live.foreignNetworks, ...built.used]),
            endpoints,
            unresolvable,
        };
    };
}
