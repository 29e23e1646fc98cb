import { whyNotReady } from "../../kilo/kilo-segments";
import { endpointText } from "../../kilo/peer";
import type { KnownNode } from "../../kilo/types";
import { contains, networkOf } from "../../net/cidr";
import { deviceOf, type Holder, longest, neighbourOf, type Plane } from "./plane";
import { acceptance, at, broken, type End, hasSeen, nameOf, whyClosed } from "./tunnel";
import type { Break, Hop, Leg, Place, TraceInput } from "./types";

export interface Packet {
    readonly from: Place;
    readonly to: Place;
    /** It is the answer to one that came: the tunnel is open. */
    readonly answers: boolean;
}

/** More nodes than any way has: own node, leader, other leader, other node. */
const MOST_HOPS = 8;

/** Follows a packet from node to node, as routes and WireGuard would: longest prefix out, source checked on the way in. */
export function walk(
    { from, to, answers }: Packet,
    world: ReadonlyMap<string, Plane>,
    { resolved }: Pick<TraceInput, "resolved">,
): Leg & { readonly last: End } {
    const start = world.get(from.cluster)!;
    let end: End = { plane: start, node: nodeOf(start, from.node!) };
    const hops: Hop[] = [{ kind: "starts", ...at(end) }];
    const fails = (breaks: Break): Leg & { readonly last: End } => ({ hops, breaks, last: end });
    while (hops.length <= MOST_HOPS) {
        const step = next(end);
        if ("code" in step) return fails(step);
        hops.push(step.hop);
        end = step.end;
        if (step.hop.kind === "arrives") return { hops, last: end };
    }
    return fails(broken("RoutingLoop", end, "the packet goes round in circles"));

    function next(here: End): Break | { readonly hop: Hop; readonly end: End } {
        const { plane, node } = here;
        const notReady = whyNotReady(node);
        if (notReady !== undefined) return broken("NodeNotReady", here, `${node.name} is not ready: ${notReady}`);
        if (plane.frozenBy !== undefined) {
            const words = `Kilo configures nothing in ${plane.name} while the name ${plane.frozenBy} has no address`;
            return broken("Frozen", here, words);
        }
        const own = plane.segmentOf.get(node.name)!;
        const isTarget = to.node === node.name && to.cluster === plane.name;
        const isHere = { hop: { kind: "arrives", ...at(here) } as const, end: here };
        const pods = node.podCIDRs.flatMap((text) => networkOf(text) ?? []).find((each) => contains(each, to.address));
        const near = neighbourOf(plane, node);
        const route = longest(deviceOf(plane, node), to.address);
        const beside = plane.nodes.find((each) => near(each) && podPrefix(each) >= 0);
        const prefixes = { route: route[0]?.network.prefix ?? -1, beside: beside ? podPrefix(beside) : -1 };
        if (pods !== undefined) {
            if (Math.max(prefixes.route, prefixes.beside) >= pods.prefix) {
                const who = prefixes.route >= prefixes.beside ? nameOf(route[0]!) : `node ${beside!.name}`;
                const words = `a route to ${who} took the place of the node's own network ${pods.text}`;
                return broken("OwnNetworkReplaced", here, words);
            }
            if (isTarget) return isHere;
            return broken("WrongNode", here, `${node.name} takes ${to.address.text} for its own: it has ${pods.text}`);
        }
        if (isTarget) return isHere;
        if (beside !== undefined && prefixes.beside > prefixes.route) {
            const far: End = { plane, node: beside };
            return { hop: { kind: "neighbour", ...at(far) }, end: far };
        }
        if (route.length === 0) {
            if (to.node === undefined && to.cluster === plane.name) return isHere;
            return broken("NoRoute", here, `no peer in ${plane.name} covers ${to.address.text}`);
        }
        if (own.leader.name !== node.name) {
            const leader: End = { plane, node: own.leader };
            return { hop: { kind: "leader", ...at(leader) }, end: leader };
        }
        const peered = route.find((each) => "peer" in each);
        if (route.some(({ key }) => key !== route[0]!.key)) {
            const words = `${route.map(nameOf).join(" and ")} both have ${route[0]!.network.text}: only one of them gets the packet`;
            return broken("NetworkContested", here, words, peered?.peer);
        }
        if (peered !== undefined && peered.key === node.key) {
            const words = `${peered.peer.name} has the key of ${node.name} itself, and WireGuard makes no peer of it`;
            return broken("PeerOfOwnNode", here, words, peered.peer);
        }
        return cross(here, peered ?? route[0]!);
    }

    /** The length of a ready node's first pod network, if the packet is for it; Kilo routes no other one. */
    function podPrefix(node: KnownNode): number {
        const network = networkOf(node.podCIDRs[0]!)!;
        return contains(network, to.address) ? network.prefix : -1;
    }

    function cross(here: End, holder: Holder): Break | { readonly hop: Hop; readonly end: End } {
        if ("segment" in holder) return enter(here, { plane: here.plane, node: holder.segment.leader }, holder);
        let first: Break | undefined;
        for (const plane of world.values()) {
            for (const node of plane.nodes) {
                if (node.key !== holder.key) continue;
                const far: End = { plane, node };
                const found = whyClosed(here, far, holder.peer, resolved, answers) ?? enter(here, far, holder);
                if (!("code" in found)) return found;
                first ??= found;
            }
        }
        const words = `no node of a cluster that could be read has the key of ${holder.peer.name}`;
        return first ?? broken("NobodyHasKey", here, words, holder.peer);
    }

    function enter(here: End, far: End, holder: Holder): Break | { readonly hop: Hop; readonly end: End } {
        const accepted = acceptance(here, far, from.address);
        if (accepted !== undefined && "code" in accepted) return accepted;
        const peer = "peer" in holder ? holder.peer : undefined;
        const hop: Hop = {
            kind: "tunnel",
            from: at(here),
            to: at(far),
            ...(peer === undefined ? {} : { peer: peer.name }),
            network: holder.network.text,
            ...(peer?.spec.endpoint === undefined ? {} : { endpoint: endpointText(peer.spec.endpoint) }),
            allowedIPs: peer?.spec.allowedIPs ?? [],
            ...(accepted === undefined ? {} : { accepted: accepted.name }),
            seenBy: { from: hasSeen(here, far), to: hasSeen(far, here) },
        };
        return { hop, end: far };
    }
}

const nodeOf = ({ nodes }: Plane, name: string): KnownNode => nodes.find((node) => node.name === name)!;
