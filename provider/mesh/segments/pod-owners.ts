import { type Network, supernet } from "../../net/cidr";

/** Who holds which pod CIDR in a cluster. Asking and adding cost as much as there are prefix lengths in use. */
export interface PodOwners {
    /** Who holds an address of the network, if anyone. */
    readonly holder: (network: Network) => string | undefined;
    readonly add: (network: Network, node: string) => void;
}

/** `lengths`: of all prefixes that will be added. */
export function podOwners(lengths: ReadonlySet<number>): PodOwners {
    const holders = new Map<string, string>();
    /** Larger blocks that have a held one inside. */
    const around = new Map<string, string>();
    return {
        holder: (network) => {
            for (const length of lengths) {
                const held = holders.get(supernet(network, length).text);
                if (held !== undefined) return held;
            }
            return around.get(network.text);
        },
        add: (network, node) => {
            holders.set(network.text, node);
            for (const length of lengths) if (length < network.prefix) around.set(supernet(network, length).text, node);
        },
    };
}
