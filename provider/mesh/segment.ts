import { byRange, type Network } from "./cidr";
import type { Endpoint } from "./endpoint";
import type { ClusterModel } from "./model";
import { distinctPeerName, peerName } from "./names";
import type { ClusterSpec, PeerSpec } from "./types";

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
    readonly name: SegmentName;
    /** The node that lends key and endpoint. */
    readonly lender: string;
    readonly key: string;
    readonly endpoint?: Endpoint;
    /** What a target observed may replace the endpoint. */
    readonly movable: boolean;
    readonly keepalive: number;
    readonly carried: readonly Carried[];
    readonly wireguard?: Network;
    readonly hasAddresses: boolean;
    /** The spec where no target has a say: shared by all of them, for a mesh has many peers. */
    readonly spec: PeerSpec;
}

export interface SegmentName {
    /** `<mesh>--<cluster>--<segment>`. */
    readonly ordinary: string;
    /** Set where another segment could come to the same ordinary name. */
    readonly distinct?: string;
    /** Tells segments apart that have the same ordinary name. */
    readonly identity: string;
}

export type SegmentKind = { readonly node: string } | { readonly location: string };

export function segmentName(mesh: string, cluster: string, kind: SegmentKind): SegmentName {
    const isNode = "node" in kind;
    const segment = isNode ? kind.node : `location-${kind.location === "" ? "default" : kind.location}`;
    const identity = isNode ? `node:${kind.node}` : `location:${kind.location}`;
    const ordinary = peerName(mesh, cluster, segment);
    const isPlain =
        isNode &&
        ordinary === `${mesh}--${cluster}--${segment}` &&
        !cluster.includes("--") &&
        !segment.includes("--") &&
        !segment.startsWith("location-");
    return isPlain
        ? { ordinary, identity }
        : { ordinary, identity, distinct: distinctPeerName(mesh, cluster, segment, identity) };
}

/** Its own networks in the order in which they are written: pods, WireGuard address, node addresses. */
export function ownNetworks(
    carried: readonly Carried[],
    wireguard: Network | undefined,
    without: (address: Network) => boolean = () => false,
): readonly Network[] {
    const pods = carried.flatMap((node) => node.pods).sort(byRange);
    const addresses = carried.flatMap((node) => node.addresses).filter((address) => !without(address));
    return [...pods, ...(wireguard === undefined ? [] : [wireguard]), ...addresses.sort(byRange)];
}

export function peerSpec(
    key: string,
    allowedIPs: readonly string[],
    endpoint: Endpoint | undefined,
    keepalive: number,
): PeerSpec {
    return {
        allowedIPs,
        publicKey: key,
        ...(endpoint === undefined ? {} : { endpoint: endpoint.spec }),
        ...(keepalive === 0 ? {} : { persistentKeepalive: keepalive }),
    };
}

const NAT_KEEPALIVE = 25;

/**
 * A peer without endpoint is cut off every 30 s when its keepalive is 0 (KILO.md §2). It keeps the value when a target
 * gives it the endpoint it observed: that one may move too.
 */
export function keepaliveOf({ nat, persistentKeepalive }: ClusterSpec, endpoint: Endpoint | undefined): number {
    const wanted = persistentKeepalive ?? (nat === true ? NAT_KEEPALIVE : 0);
    return wanted === 0 && endpoint === undefined ? NAT_KEEPALIVE : wanted;
}
