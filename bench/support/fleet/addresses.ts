import type { NodeSpec } from "../../../tools/clusters";
import { HEALTHY } from "../workplace";

/** Disjoint ranges for up to 1,024 clusters of up to 31 nodes; those of tools/clusters are for 64 clusters. */
export const rangesOf = (cluster: number) => ({
    podCIDR: `10.${cluster >> 3}.${(cluster & 7) << 5}.0/19`,
    wireguardCIDR: `100.${64 + (cluster >> 8)}.${cluster & 255}.0/24`,
    serviceCIDR: `172.${16 + (cluster >> 6)}.${(cluster & 63) << 2}.0/22`,
});

/** The n-th node, from 1, of a cluster of a fleet. */
export function fleetNode(cluster: { readonly name: string; readonly index: number }, node: number): NodeSpec {
    const at = cluster.index * 32 + node;
    return {
        ...HEALTHY,
        name: `${cluster.name}-n${node}`,
        index: node,
        podCIDRs: [`10.${cluster.index >> 3}.${((cluster.index & 7) << 5) + node}.0/24`],
        wireguardIP: `100.${64 + (cluster.index >> 8)}.${cluster.index & 255}.${node}/24`,
        internalIP: `192.168.${(at >> 8) & 255}.${at & 255}`,
        endpoint: `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}:51820`,
    };
}
