import type { Resolve } from "./endpoint";
import type { NodeRef } from "./objects";

/** What the objects do not say: the moment, name servers, and the network that the tunnels run over. */
export interface Options {
    /** Unix seconds, or those of each cluster. Without it nobody's last-seen is judged. */
    readonly now?: number | Readonly<Record<string, number>>;
    /** The address of a name; by default no name has one. */
    readonly resolve?: Resolve;
    /** Nodes that other clusters cannot open a tunnel to. They dial out, and are seen at an address of the NAT. */
    readonly natted?: (node: NodeRef) => boolean;
    /** The first cannot open a tunnel to the second. */
    readonly blocked?: (from: NodeRef, to: NodeRef) => boolean;
    /** `address:port` at which a node answers besides its own addresses. */
    readonly forwards?: Readonly<Record<string, NodeRef>>;
    /**
     * Every node that can open a tunnel has something to send, which is the default. Otherwise only the packet in
     * question and nodes with the annotation persistent-keepalive open one.
     */
    readonly traffic?: boolean;
    /** Another network plugin connects pods of both families inside a location; Kilo does so for the first only. */
    readonly bothFamiliesInside?: boolean;
}
