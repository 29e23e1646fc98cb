import type { Address } from "./addresses";
import type { Agent } from "./agent";
import type { Endpoint } from "./endpoint";
import type { NodeFacts, NotReady } from "./node-facts";
import type { NodeRef } from "./objects";

/** A node with everything that decides what happens to a packet there. */
export interface Host {
    readonly id: number;
    readonly ref: NodeRef;
    readonly facts: NodeFacts;
    readonly agent: Agent;
    readonly notReady: NotReady | undefined;
    /** Where Kilo says that it listens; undefined if its name has no address. */
    readonly endpoint: Endpoint | undefined;
    readonly addresses: readonly Address[];
}

/** All nodes of all clusters at one moment. */
export interface World {
    readonly hosts: readonly Host[];
    readonly find: (cluster: string, node: string) => Host | undefined;
    /** Nodes that have this key, in all clusters. */
    readonly withKey: (key: string) => readonly Host[];
}

/** An address, and the node that has it. */
export interface Spot {
    readonly cluster: string;
    /** Undefined for what is behind the cluster as a whole. */
    readonly host: Host | undefined;
    readonly address: Address;
}

export function hostAddresses(
    { addresses, internalIP }: NodeFacts,
    { wireguardIP }: Agent,
    endpoint: Endpoint | undefined,
): readonly Address[] {
    return [
        ...addresses,
        ...(internalIP === undefined ? [] : [internalIP.address]),
        ...(wireguardIP === undefined ? [] : [wireguardIP]),
        ...(endpoint === undefined ? [] : [endpoint.ip]),
    ];
}
