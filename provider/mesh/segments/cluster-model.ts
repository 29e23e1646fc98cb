import type { Range } from "../../net/address";
import { contains, type Network } from "../../net/cidr";
import { overlapFinder } from "../../net/overlaps";
import type { DeclaredNetworks, NetworkField } from "../args/declared-networks";
import type { ClusterSpec } from "../types";

/** The one of a cluster's declared networks that holds the whole of another. */
export type Holder = (network: Range) => Network | undefined;

/** A cluster with its networks parsed. */
export interface ClusterModel {
    readonly name: string;
    readonly spec: ClusterSpec;
    /** Networks are given as one list: what no node covers is cluster-wide. */
    readonly flat: boolean;
    readonly podRange: Holder;
    /** Undefined where WireGuard addresses are not advertised. */
    readonly wireguardRange: Holder | undefined;
    /** Undefined where node addresses are not advertised. */
    readonly nodeRange: Holder | undefined;
    /** Networks that belong to no node: services and others. In the flat form, candidates for it. */
    readonly shared: readonly Network[];
    /** All of its networks, reserved ones too. */
    readonly declared: readonly Network[];
    /** Among all of them. */
    readonly holder: Holder;
    /** Among those that others may be told of: all but the reserved ones. */
    readonly advertised: Holder;
    /** Networks that are reached through tunnels: an endpoint inside one can never be reached. */
    readonly tunnelled: readonly Network[];
    readonly accepted: readonly Network[] | undefined;
}

export function clusterModels(
    clusters: readonly ClusterSpec[],
    { byCluster, accepted }: DeclaredNetworks,
): readonly ClusterModel[] {
    return clusters.map((spec, i) => {
        const entries = byCluster[i] ?? [];
        const of = (...fields: readonly NetworkField[]) =>
            entries.filter(({ owner }) => fields.includes(owner.field)).map(({ network }) => network);
        const flat = spec.allowedNetworks !== undefined;
        const wireguard = of("wireguardCIDR", "allowedNetworks");
        const nodes = of("nodeCIDRs", ...(spec.nodeAddresses === true ? (["allowedNetworks"] as const) : []));
        const declared = entries.map(({ network }) => network);
        return {
            name: spec.name,
            spec,
            flat,
            podRange: holder(of("podCIDRs", "allowedNetworks")),
            wireguardRange: wireguard.length > 0 ? holder(wireguard) : undefined,
            nodeRange: nodes.length > 0 ? holder(nodes) : undefined,
            shared: of("serviceCIDR", "additionalCIDRs", "allowedNetworks"),
            declared,
            holder: holder(declared),
            advertised: holder(entries.filter(({ owner }) => owner.field !== "reserved").map(({ network }) => network)),
            tunnelled: of("podCIDRs", "wireguardCIDR", "serviceCIDR", "additionalCIDRs", "allowedNetworks"),
            accepted: accepted[i],
        };
    });
}

function holder(networks: readonly Network[]): Holder {
    const overlapping = overlapFinder(networks.map((network) => ({ network, owner: network })));
    return (network) => {
        const found = overlapping(network);
        return found !== undefined && contains(found, network) ? found : undefined;
    };
}
