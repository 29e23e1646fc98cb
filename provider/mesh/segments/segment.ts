import type { Endpoint } from "../../kilo/endpoint";
import { isInLocation } from "../../kilo/kilo-segments";
import type { Peer } from "../../kilo/peer";
import type { NodeFacts, PeerSpec } from "../../kilo/types";
import { byRange, type Network } from "../../net/cidr";
import { distinctPeerName, peerName } from "../names";
import type { Refusal } from "../report/skip";
import type { ClusterSpec } from "../types";
import type { ClusterModel } from "./cluster-model";

/** The networks that one node brings into its segment. */
export interface Carried {
    readonly node: string;
    readonly pods: readonly Network[];
    /** Host routes of its addresses. */
    readonly addresses: readonly Network[];
}

/** What one WireGuard peer stands for, before any target has a say. */
export interface Segment {
    readonly cluster: ClusterModel;
    /** `<mesh>--<cluster>--<segment>`. */
    readonly name: string;
    /** Its name where the ordinary one is taken; set where another segment could come to the same ordinary name. */
    readonly otherName: string | undefined;
    /** The node that lends key and endpoint. */
    readonly lender: string;
    /** Kilo counts on that node now. */
    readonly fresh: boolean;
    /** Why the node cannot say who it is. A target that has its peer keeps what that one has; no other gets it. */
    readonly problem: IdentityProblem | undefined;
    readonly key: string;
    readonly endpoint: Endpoint | undefined;
    /** What a target observed may replace the endpoint. */
    readonly movable: boolean;
    readonly keepalive: number;
    readonly carried: readonly Carried[];
    readonly wireguard: Network | undefined;
    readonly hasAddresses: boolean;
    /** The peer where no target has a say: shared by all of them, for a mesh has many peers. */
    readonly peer: Peer;
    readonly bytes: number;
}

export interface IdentityProblem {
    readonly of: "key" | "endpoint";
    readonly refusal: Refusal;
}

export type SegmentKind = { readonly node: string } | { readonly location: string };

export const kindOf = (node: NodeFacts): SegmentKind =>
    isInLocation(node) ? { location: node.location ?? "" } : { node: node.name };

export function segmentNames(mesh: string, cluster: string, kind: SegmentKind): Pick<Segment, "name" | "otherName"> {
    const isNode = "node" in kind;
    const segment = isNode ? kind.node : `location-${kind.location === "" ? "default" : kind.location}`;
    const name = peerName(mesh, cluster, segment);
    if (isNode && isUnmistakable(name, cluster, segment)) return { name, otherName: undefined };
    const identity = isNode ? `node ${kind.node}` : `location ${kind.location}`;
    return { name, otherName: distinctPeerName(mesh, cluster, segment, identity) };
}

/** No other node or location of the mesh can come to this name: nothing was replaced, and its parts can be told apart. */
function isUnmistakable(name: string, cluster: string, node: string): boolean {
    return name.endsWith(node) && !cluster.includes("--") && !node.includes("--") && !node.startsWith("location-");
}

/** Its own networks in the order in which they are written: pods, WireGuard address, node addresses. */
export function ownNetworks(
    carried: readonly Carried[],
    wireguard: Network | undefined,
    without?: (address: Network) => boolean,
): readonly Network[] {
    const pods: Network[] = [];
    const addresses: Network[] = [];
    for (const node of carried) {
        pods.push(...node.pods);
        for (const address of node.addresses) if (!without?.(address)) addresses.push(address);
    }
    const networks = pods.sort(byRange);
    if (wireguard !== undefined) networks.push(wireguard);
    networks.push(...addresses.sort(byRange));
    return networks;
}

export function peerSpec(
    key: string,
    allowedIPs: readonly string[],
    endpoint: Endpoint | undefined,
    keepalive: number,
): PeerSpec {
    const spec: { -readonly [K in keyof PeerSpec]: PeerSpec[K] } = { allowedIPs, publicKey: key };
    if (endpoint !== undefined) spec.endpoint = endpoint.spec;
    if (keepalive !== 0) spec.persistentKeepalive = keepalive;
    return spec;
}

const KEEPALIVE = 25;

/**
 * A peer without endpoint, which all have behind NAT, is cut off every 30 s when its keepalive is 0 (docs/kilo.md: no
 * endpoint needs a keepalive). It keeps the value when a target gives it the endpoint it observed: that one may move
 * too.
 */
export function keepaliveOf({ persistentKeepalive = 0 }: ClusterSpec, endpoint: Endpoint | undefined): number {
    return persistentKeepalive === 0 && endpoint === undefined ? KEEPALIVE : persistentKeepalive;
}
