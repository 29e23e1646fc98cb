/** Address ranges of local clusters: disjoint for up to 64 clusters, so that any of them can be meshed. */
export interface ClusterNetworks {
    readonly podCIDR: string;
    readonly wireguardCIDR: string;
    readonly serviceCIDR: string;
    /** Where the nodes' own (internal) addresses lie. */
    readonly nodeCIDR: string;
}

/** Nodes 1..127 get a /24 each in the lower half of the cluster's /16, further ones a /29 each in the upper half. */
const WIDE_NODES = 127;
const NARROW_NODES = 4096;

export const MAX_CLUSTERS = 64;
export const MAX_NODES = WIDE_NODES + NARROW_NODES;

export function clusterNetworks(index: number): ClusterNetworks {
    if (!Number.isInteger(index) || index < 0 || index >= MAX_CLUSTERS) {
        throw new Error(
            `There is room for ${MAX_CLUSTERS} local clusters, index ${index} is outside 0..${MAX_CLUSTERS - 1}`,
        );
    }
    return {
        podCIDR: `10.${16 + index}.0.0/16`,
        wireguardCIDR: `100.${64 + index}.0.0/16`,
        serviceCIDR: `172.${16 + (index >> 4)}.${(index & 15) * 16}.0/20`,
        nodeCIDR: `10.${128 + index}.0.0/16`,
    };
}

/** The addresses of the n-th node (from 1) of a cluster. */
export function nodeAddresses(cluster: number, node: number) {
    if (!Number.isInteger(node) || node < 1 || node > MAX_NODES) {
        throw new Error(
            `There is room for ${MAX_NODES} nodes in a local cluster, index ${node} is outside 1..${MAX_NODES}`,
        );
    }
    clusterNetworks(cluster);
    const narrow = 0x8000 + (node - WIDE_NODES - 1) * 8;
    const host = `${node >> 8}.${node & 255}`;
    // 198.18.0.0/15 is set aside for tests of networks: nobody lives there.
    const endpoint = ((cluster & 31) << 12) | (node & 4095);
    return {
        podCIDR:
            node <= WIDE_NODES
                ? `10.${16 + cluster}.${node}.0/24`
                : `10.${16 + cluster}.${narrow >> 8}.${narrow & 255}/29`,
        wireguardIP: `100.${64 + cluster}.${host}/16`,
        internalIP: `10.${128 + cluster}.${host}`,
        endpoint: `198.${18 + (endpoint >> 16)}.${(endpoint >> 8) & 255}.${endpoint & 255}:51820`,
    };
}
