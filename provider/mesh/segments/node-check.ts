import { configuredEndpoint, type Endpoint } from "../../kilo/endpoint";
import { isPublicKey } from "../../kilo/public-key";
import type { KnownNode, NodeFacts } from "../../kilo/types";
import { addressIn, contains, hostAddress, hostRoute, type Network, networkOf, outermost } from "../../net/cidr";
import { shown } from "../../values/show";
import { type Refusal, refusal } from "../report/skip";
import type { ClusterModel } from "./cluster-model";
import type { KeyHolder } from "./contested-keys";
import type { Judging } from "./identity";

/** Each check gives what the node contributes, or why it cannot. */

/** The pod CIDRs of both families, or none when one cannot be read. */
export function podNetworks(node: NodeFacts): readonly Network[] {
    const networks = node.podCIDRs.map(networkOf);
    return networks.every((network) => network !== undefined) ? outermost(networks) : [];
}

export function checkPods(node: NodeFacts, networks: readonly Network[], cluster: ClusterModel): Refusal | undefined {
    if (networks.length === 0) {
        const message =
            node.podCIDRs.length === 0
                ? "it has no pod CIDR yet"
                : `its pod CIDR ${shown(node.podCIDRs.find((text) => networkOf(text) === undefined))} cannot be read`;
        return refusal("NodeNoPodCIDR", message);
    }
    for (const network of networks) {
        if (cluster.podRange(network) === undefined) {
            const field = cluster.flat ? "allowedNetworks" : "podCIDRs";
            return refusal(
                "NodePodCIDROutOfRange",
                `its pod CIDR ${network.text} is not inside the cluster's ${field}`,
            );
        }
    }
    return undefined;
}

/** The WireGuard address to advertise, nothing, or why not. A bad one costs its own route and never the node. */
export function checkWireguard(
    node: KnownNode,
    route: Network | undefined,
    own: readonly Network[],
    { cluster, owners, isClaimedTwice }: Pick<Judging, "cluster" | "owners" | "isClaimedTwice">,
): Network | string | undefined {
    if (cluster.wireguardRange === undefined) return undefined;
    if (node.wireguardIP === undefined) return "has none yet";
    if (route === undefined) return `${shown(node.wireguardIP)} is not an address with a prefix`;
    if (cluster.wireguardRange(route) === undefined) {
        return `${addressIn(route)} is not inside ${cluster.flat ? "allowedNetworks" : "wireguardCIDR"}`;
    }
    // only the flat form lets the two meet: an address among its own pods needs no route of its own
    if (own.some((network) => contains(network, route))) return undefined;
    const holder = cluster.flat ? owners.holder(route) : undefined;
    if (holder !== undefined) return `${addressIn(route)} lies in the pod CIDR of ${shown(holder)}`;
    // which of the two has it really, Kilo's annotations do not tell (docs/kilo.md: WireGuard addresses lag)
    return isClaimedTwice(node, route) ? `${addressIn(route)} is claimed twice` : route;
}

/** The WireGuard address as a host route, if it can be read. Any prefix length will do: the host counts. */
export function wireguardRoute({ wireguardIP }: NodeFacts): Network | undefined {
    const address = wireguardIP === undefined ? undefined : hostAddress(wireguardIP);
    return address === undefined ? undefined : hostRoute(address);
}

/** `taken` says who holds each key of the whole mesh; it may be this very node. */
export function checkKey(
    node: NodeFacts,
    cluster: ClusterModel,
    taken: ReadonlyMap<string, KeyHolder>,
): Refusal | undefined {
    const { key } = node;
    if (key === undefined) return refusal("NodeNoPublicKey", "it has no annotation kilo.squat.ai/key yet");
    if (!isPublicKey(key)) {
        return refusal("NodePublicKeyInvalid", `its public key ${shown(key)} is not 32 bytes of base64`);
    }
    const twin = taken.get(key);
    if (twin === undefined) return undefined;
    if (twin.cluster === cluster.name && (twin.reserved || twin.node === node.name)) return undefined;
    const message = `its public key is also that of ${shown(twin.node)} of ${shown(twin.cluster)}`;
    return refusal("NodePublicKeyDuplicate", message);
}

export interface NodeEndpoint {
    readonly endpoint: Endpoint | undefined;
    readonly pinned: boolean;
}

/** What the node is configured with. Whether it leads into a tunnel is another question. */
export function checkEndpoint(node: NodeFacts, cluster: ClusterModel): NodeEndpoint | Refusal {
    const configured = configuredEndpoint(node, cluster.spec);
    if (configured.kind === "none") return WITHOUT_ENDPOINT;
    if (configured.kind === "set") return configured;
    const message = `its ${configured.source} ${shown(configured.value)} is not host:port`;
    return refusal("NodeEndpointInvalid", message);
}

export const WITHOUT_ENDPOINT: NodeEndpoint = { endpoint: undefined, pinned: false };
