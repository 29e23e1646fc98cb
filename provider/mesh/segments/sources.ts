import { parseEndpoint } from "../../kilo/endpoint";
import { uniqueByName } from "../../kilo/read-nodes";
import type { NodeFacts } from "../../kilo/types";
import { overlapFinder } from "../../net/overlaps";
import type { ClusterSpec, Issue } from "../types";
import { type ClusterSegments, clusterSegments } from "./build-segments";
import type { ClusterModel } from "./cluster-model";
import type { KeyHolder } from "./node-check";

/** What is known of one cluster. */
export interface ClusterReading {
    readonly facts: readonly NodeFacts[];
    /** Public key to `ip:port`. */
    readonly observed: unknown;
    readonly issues: readonly Issue[];
}

/** A cluster as a source of peers. */
export interface Source {
    readonly cluster: ClusterModel;
    readonly built: ClusterSegments;
    readonly observed: unknown;
    /** Addresses at which its nodes are reached; only read where some cluster advertises node addresses. */
    readonly endpoints: readonly string[];
}

export interface ReadMesh {
    readonly sources: ReadonlyMap<string, Source>;
    /** Keys by which one cluster is known in the mesh, with the others whose nodes have them too. */
    readonly sharedKeys: ReadonlyMap<string, ReadonlySet<string>>;
    /** The same keys, with everyone who claims them. */
    readonly contested: ReadonlyMap<string, readonly KeyHolder[]>;
    readonly issues: readonly Issue[];
}

/** All clusters as sources, in the order of their names: the first one wins a duplicate key that nobody holds yet. */
export function readMesh(
    mesh: string,
    models: readonly ClusterModel[],
    read: (cluster: ClusterSpec) => ClusterReading,
    held: ReadonlyMap<string, KeyHolder> = new Map(),
): ReadMesh {
    const keys = new Map(held);
    const sources = new Map<string, Source>();
    const unheld: KeyInCluster[] = [];
    const isDeclared = overlapFinder(models.flatMap((owner) => owner.declared.map((network) => ({ network, owner }))));
    const issues: Issue[] = [];
    const wantsEndpoints = models.some(({ nodeRange }) => nodeRange !== undefined);
    for (const cluster of models) {
        const reading = read(cluster.spec);
        const facts = uniqueByName(reading.facts);
        const built = clusterSegments(mesh, cluster, facts, keys, (network) => isDeclared(network) !== undefined);
        for (const { key, name } of facts) {
            if (key !== undefined && keys.get(key)?.cluster !== cluster.name)
                unheld.push({ key, cluster: cluster.name, node: name });
        }
        const endpoints = wantsEndpoints ? facts.flatMap(endpointAddresses) : [];
        sources.set(cluster.name, { cluster, built, observed: reading.observed, endpoints });
        issues.push(...reading.issues);
    }
    const contested = claimantsOf(unheld, keys);
    return { sources, sharedKeys: heldElsewhere(contested), contested, issues };
}

interface KeyInCluster extends KeyHolder {
    readonly key: string;
}

/** Of the keys that a cluster has and does not hold in the mesh, those that another one holds: it first, then all who claim them. */
function claimantsOf(
    unheld: readonly KeyInCluster[],
    keys: ReadonlyMap<string, KeyHolder>,
): ReadonlyMap<string, readonly KeyHolder[]> {
    const claimants = new Map<string, readonly KeyHolder[]>();
    for (const { key, cluster, node } of unheld) {
        const holder = keys.get(key);
        if (holder === undefined || holder.cluster === cluster) continue;
        claimants.set(key, [...(claimants.get(key) ?? [holder]), { cluster, node }]);
    }
    return claimants;
}

/** Everyone but the holder. */
const heldElsewhere = (
    contested: ReadonlyMap<string, readonly KeyHolder[]>,
): ReadonlyMap<string, ReadonlySet<string>> =>
    new Map([...contested].map(([key, [, ...others]]) => [key, new Set(others.map(({ cluster }) => cluster))]));

function endpointAddresses({ clustermeshEndpoint, forceEndpoint, kiloEndpoint }: NodeFacts): readonly string[] {
    return [clustermeshEndpoint, forceEndpoint, kiloEndpoint].flatMap((text) => {
        const address = text === undefined ? undefined : parseEndpoint(text)?.address;
        return address === undefined ? [] : [address.text];
    });
}
