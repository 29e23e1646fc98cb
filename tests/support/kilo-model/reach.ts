import type { NodeRef } from "./objects";

/** Why a packet does not get there. */
export type Reason =
    /** No such node, or it has no such address. */
    | "unknown-place"
    /** Kilo leaves the node out, or nobody that is ready has the key. */
    | "node-not-ready"
    /** A name without an address keeps the agents of the cluster from doing anything. */
    | "frozen"
    /** The node has no route for the address into any tunnel. */
    | "no-route"
    /** A network of a Peer took the place of the node's own. */
    | "own-network-replaced"
    /** There is a route into the interface, and no WireGuard peer for the address. */
    | "no-wireguard-peer"
    /** Several WireGuard peers claim the network. */
    | "network-contested"
    /** Nobody has the key of the WireGuard peer. */
    | "nobody-has-key"
    /** The node with the key does not lead its location: it has no tunnels. */
    | "not-leader"
    /** The other end does not know the key of this one. */
    | "peer-missing"
    | "preshared-key"
    /** The node's route to the endpoint leads into a tunnel. */
    | "endpoint-in-tunnel"
    /** Neither end can send to the other. */
    | "no-endpoint-answers"
    | "blocked"
    /** The only end that can open the tunnel has nothing to send. */
    | "nobody-dials"
    /** Kilo takes the learnt endpoint away every 30 seconds: much is lost. */
    | "learnt-endpoint-wiped"
    /** Kilo sets the endpoint back every 30 seconds to one that does not lead there. */
    | "roaming-reset"
    /** The source address is not among the allowed ones of the peer that sends. */
    | "source-refused"
    | "routing-loop"
    /** It ends on another node than the one that has the address. */
    | "wrong-node";

export interface Failure {
    readonly ok: false;
    readonly reason: Reason;
    /** The node at which it fails. */
    readonly where: NodeRef;
    readonly detail: string;
}

/** Where a packet starts or ends. A node alone means some pod on it, else the one with that address, or the node itself. */
export type Place =
    | { readonly cluster: string; readonly node: string; readonly address?: string; readonly host?: boolean }
    /** A pod, a node, or anything else behind the cluster, such as a service. */
    | { readonly cluster: string; readonly address: string };

export type Reach =
    /** The nodes that the packet and its answer pass, ends included. */
    | { readonly ok: true; readonly there: readonly NodeRef[]; readonly back: readonly NodeRef[] }
    | (Failure & { readonly direction: "there" | "back" });

export const failure = (reason: Reason, where: NodeRef, detail: string): Failure => ({
    ok: false,
    reason,
    where,
    detail,
});
