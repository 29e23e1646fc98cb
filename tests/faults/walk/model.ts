import type { Topology } from "../../../provider/mesh/types";
import { networkOf, overlaps } from "../../../provider/net/cidr";
import { clusterNetworks, nodeAddresses } from "../../../tools/clusters/networks";
import { publicKey } from "../../../tools/clusters/node-spec";

export interface ModelNode {
    readonly key: string;
    readonly endpoint: string;
    readonly podCIDR: string;
}

export interface ForeignPeer {
    readonly publicKey: string;
    readonly allowedIPs: readonly string[];
}

export interface ModelCluster {
    readonly name: string;
    readonly index: number;
    readonly nodes: Map<string, ModelNode>;
    readonly foreign: Map<string, ForeignPeer>;
}

export interface ModelPeers {
    readonly wanted: Readonly<Record<string, string>>;
    /** There only if they were there before the stranger came. */
    readonly contested: Readonly<Record<string, string>>;
}

export type Shape = "full" | "star" | "chain";

/** What must be true after a run without faults, said as simply as it can be. */
export class Model {
    readonly members: Set<string>;
    shape: Shape = "full";

    constructor(readonly clusters: readonly ModelCluster[]) {
        this.members = new Set(clusters.map(({ name }) => name));
    }

    static of(names: readonly string[], nodes: number): Model {
        return new Model(
            names.map((name, index) => ({
                name,
                index,
                foreign: new Map(),
                nodes: new Map(
                    Array.from({ length: nodes }, (_, at) => [`${name}-n${at + 1}`, freshNode(name, index, at + 1)]),
                ),
            })),
        );
    }

    cluster(name: string): ModelCluster {
        return this.clusters.find((cluster) => cluster.name === name)!;
    }

    topology(): Topology | undefined {
        const names = [...this.members].sort();
        if (this.shape === "star") return { hubs: [names[0]!] };
        if (this.shape === "chain") return { links: names.slice(1).map((b, at) => ({ a: names[at]!, b })) };
        return undefined;
    }

    /** Peer names of every target, each with key, endpoint and pod network; those that a stranger contests apart. */
    peers(): Record<string, ModelPeers> {
        const all: Record<string, ModelPeers> = {};
        for (const target of this.clusters) {
            const wanted: Record<string, string> = {};
            const contested: Record<string, string> = {};
            for (const source of this.clusters) {
                if (!this.isLinked(source.name, target.name)) continue;
                for (const [node, { key, endpoint, podCIDR }] of source.nodes) {
                    const name = `edge--${source.name}--${node}`;
                    if (target.foreign.has(name)) continue;
                    const isFree = !isContested(target, key, [podCIDR, wireguardOf(source.index, node)]);
                    (isFree ? wanted : contested)[name] = `${key} ${endpoint} ${podCIDR}`;
                }
            }
            all[target.name] = { wanted, contested };
        }
        return all;
    }

    isLinked(a: string, b: string): boolean {
        if (a === b || !this.members.has(a) || !this.members.has(b)) return false;
        const names = [...this.members].sort();
        const [i, j] = [names.indexOf(a), names.indexOf(b)];
        if (this.shape === "star") return i === 0 || j === 0;
        return this.shape === "full" || Math.abs(i - j) === 1;
    }
}

export const numberOf = (node: string): number => Number(/\d+$/.exec(node)?.[0]);

const wireguardOf = (cluster: number, node: string): string =>
    nodeAddresses(cluster, numberOf(node)).wireguardIP.replace(/\/.*/, "/32");

export function freshNode(cluster: string, index: number, number: number): ModelNode {
    const { endpoint, podCIDR } = nodeAddresses(index, number);
    return { key: publicKey(cluster, `${cluster}-n${number}`), endpoint, podCIDR };
}

export const podRange = (index: number): string => clusterNetworks(index).podCIDR;

/** Somebody else in the target has the key or an address of it. */
function isContested(target: ModelCluster, key: string, networks: readonly string[]): boolean {
    for (const { publicKey: taken, allowedIPs } of target.foreign.values()) {
        if (taken === key) return true;
        for (const cidr of allowedIPs) {
            const used = networkOf(cidr);
            if (used && networks.some((network) => overlaps(used, networkOf(network)!))) return true;
        }
    }
    return false;
}
