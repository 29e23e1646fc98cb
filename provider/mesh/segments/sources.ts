import { endpointAddress, parseEndpoint } from "../../kilo/endpoint";
import type { KnownNode, NodeFacts } from "../../kilo/types";
import { addressOf } from "../../net/address";
import { contains } from "../../net/cidr";
import { overlapFinder } from "../../net/overlaps";
import { shown } from "../../values/show";
import { addressesOf, type ClusterSegments, clusterSegments } from "./build-segments";
import type { ClusterModel } from "./cluster-model";
import { type ContestedKeys, contestedKeys, type KeyHolder, type KeyInCluster } from "./contested-keys";
import type { Holdings } from "./holdings";

/** A cluster as a source of peers. */
export interface Source {
    readonly cluster: ClusterModel;
    readonly built: ClusterSegments;
    /** Addresses at which its nodes are reached; only read where some cluster advertises node addresses. */
    readonly endpoints: readonly string[];
    /** Something is known of its nodes: what is not planned is not wanted. */
    readonly judged: boolean;
    /** The nodes of a complete list that is not empty. */
    readonly listed: readonly NodeFacts[] | undefined;
}

/** A cluster whose nodes are known, as good as this run knows them. */
export interface SourceInput {
    readonly cluster: ClusterModel;
    readonly nodes: readonly KnownNode[];
    readonly holdings: Holdings;
    readonly judged: boolean;
    readonly listed: readonly NodeFacts[] | undefined;
}

export interface Sources {
    readonly byName: ReadonlyMap<string, Source>;
    readonly contested: ContestedKeys;
}

/** All clusters as sources, in the order of their names: the first one wins a duplicate key that nobody holds yet. */
export function buildSources(
    mesh: string,
    inputs: readonly SourceInput[],
    models: readonly ClusterModel[],
    resolved: Readonly<Record<string, string>>,
    held: ReadonlyMap<string, KeyHolder> = new Map(),
): Sources {
    const keys = new Map(held);
    const byName = new Map<string, Source>();
    const unheld: KeyInCluster[] = [];
    const declared = overlapFinder(models.flatMap((owner) => owner.declared.map((network) => ({ network, owner }))));
    const context = {
        mesh,
        keys,
        isDeclared: (network: Parameters<typeof declared>[0]) => declared(network) !== undefined,
        tunnelAround: tunnels(models, inputs),
        resolved,
    };
    const wantsEndpoints = models.some(({ nodeRange }) => nodeRange !== undefined);
    for (const { cluster, nodes, holdings, judged, listed } of inputs) {
        const built = clusterSegments(cluster, nodes, holdings, context);
        for (const { key, name } of nodes) {
            if (key !== undefined && keys.get(key)?.cluster !== cluster.name)
                unheld.push({ key, cluster: cluster.name, node: name });
        }
        const endpoints = wantsEndpoints ? nodes.flatMap((node) => endpointAddresses(node, resolved)) : [];
        byName.set(cluster.name, { cluster, built, endpoints, judged, listed });
    }
    return { byName, contested: contestedKeys(unheld, keys) };
}

/**
 * Which declared network an endpoint would be reached through: no tunnel can lead to its own end. Ranges of node addresses
 * are none, and in the flat form neither are the entries that hold them.
 */
function tunnels(
    models: readonly ClusterModel[],
    inputs: readonly SourceInput[],
): (address: { readonly first: number | bigint; readonly last: number | bigint }) => string | undefined {
    const nodesOf = new Map(inputs.map(({ cluster, nodes }) => [cluster.name, nodes]));
    const around = overlapFinder(
        models.flatMap(({ name, flat, tunnelled }) => {
            const addresses = flat
                ? (nodesOf.get(name) ?? []).flatMap(addressesOf).flatMap((text) => addressOf(text) ?? [])
                : [];
            return tunnelled
                .filter((network) => !addresses.some((address) => contains(network, address)))
                .map((network) => ({ network, owner: `${network.text} of ${shown(name)}` }));
        }),
    );
    return (address) => around(address);
}

function endpointAddresses(
    { clustermeshEndpoint, forceEndpoint, kiloEndpoint }: NodeFacts,
    resolved: Readonly<Record<string, string>>,
): readonly string[] {
    return [clustermeshEndpoint, forceEndpoint, kiloEndpoint].flatMap((text) => {
        const endpoint = text === undefined ? undefined : parseEndpoint(text);
        const address = endpoint && endpointAddress(endpoint, resolved);
        return address === undefined ? [] : [address.text];
    });
}
