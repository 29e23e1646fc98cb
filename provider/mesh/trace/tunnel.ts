import { configuredEndpoint, endpointAddress, parseEndpoint } from "../../kilo/endpoint";
import { whyNotReady } from "../../kilo/kilo-segments";
import { endpointText, type LivePeer } from "../../kilo/peer";
import type { KnownNode } from "../../kilo/types";
import type { Address } from "../../net/address";
import { keepaliveOf } from "../compare";
import { addressesOf } from "../segments/build-segments";
import { deviceOf, longest, type Plane } from "./plane";
import type { Break, BreakCode, NodeAt } from "./types";

/** One end of a tunnel: a node that has tunnels, and the peer by which it knows the other. */
export interface End {
    readonly plane: Plane;
    readonly node: KnownNode;
}

export const at = ({ plane, node }: End): NodeAt => ({ cluster: plane.name, node: node.name });

export const broken = (code: BreakCode, end: End, message: string, peer?: LivePeer): Break => ({
    code,
    at: at(end),
    message,
    ...(peer === undefined ? {} : { peer: peer.name }),
});

type Resolved = Readonly<Record<string, string>>;

/** What keeps two ends from having a session by `mine`, the near end's peer; undefined where nothing does. */
export function whyClosed(
    near: End,
    far: End,
    mine: LivePeer,
    resolved: Resolved,
    answers: boolean,
): Break | undefined {
    const notReady = whyNotReady(far.node);
    if (notReady !== undefined) {
        const words = `${mine.name} in ${near.plane.name} leads to it, and it is not ready: ${notReady}`;
        return { ...broken("NodeNotReady", far, words), via: near.plane.name };
    }
    const leader = far.plane.segmentOf.get(far.node.name)!.leader.name;
    if (leader !== far.node.name) {
        const words = `${mine.name} in ${near.plane.name} leads to ${far.node.name}, which has no tunnels: ${leader} leads its location`;
        return { ...broken("NotLeader", far, words), via: near.plane.name };
    }
    const theirs = far.plane.peerOf.get(near.node.key!);
    if (theirs === undefined) {
        const words = `${far.plane.name} has no peer with the key of ${near.plane.name}/${near.node.name}`;
        return broken("PeerMissing", far, words);
    }
    if (hasPresharedKey(mine) !== hasPresharedKey(theirs)) {
        return broken("PresharedKey", near, `only one of ${mine.name} and ${theirs.name} has a preshared key`, mine);
    }
    return (
        inTunnel(near, mine, resolved) ?? inTunnel(far, theirs, resolved) ?? unopened(near, far, mine, theirs, answers)
    );
}

/** An endpoint inside a tunnel can never be reached (docs/kilo.md: endpoint inside allowed IPs). */
function inTunnel({ plane, node }: End, peer: LivePeer, resolved: Resolved): Break | undefined {
    const endpoint = peer.spec.endpoint && parseEndpoint(endpointText(peer.spec.endpoint));
    const address = endpoint && endpointAddress(endpoint, resolved);
    if (address === undefined) return undefined;
    // inside a cluster Kilo routes no address of a node into a tunnel that is an endpoint
    const tunnelled = deviceOf(plane, node).filter(
        (each) => "peer" in each || each.network.first !== each.network.last,
    );
    const [around] = longest(tunnelled, address);
    if (around === undefined) return undefined;
    const words = `the endpoint ${endpointOf(peer)} of ${peer.name} is itself routed into a tunnel, by ${around.network.text}`;
    return broken("EndpointInTunnel", { plane, node }, words, peer);
}

const hasPresharedKey = ({ unexpected }: LivePeer): boolean => unexpected.includes("presharedKey");

function unopened(near: End, far: End, mine: LivePeer, theirs: LivePeer, answers: boolean): Break | undefined {
    const opens = leads(near, mine, far);
    const opened = leads(far, theirs, near);
    if (!opens && !opened) {
        const words = `neither end can dial the other: ${mine.name} has ${endpointOf(mine)}, ${theirs.name} in ${far.plane.name} has ${endpointOf(theirs)}`;
        return broken("NoEndpoint", near, words, mine);
    }
    const reset = (opens ? undefined : wiped(near, mine)) ?? (opened ? undefined : wiped(far, theirs));
    if (opens || answers || far.node.dials === true || hasSeen(near, far) || hasSeen(far, near)) return reset;
    const words = `${near.node.name} cannot dial ${far.node.name}, and ${far.node.name} has no kilo.squat.ai/persistent-keepalive: the tunnel opens only when it has something to send`;
    return broken("NobodyDials", far, words);
}

const endpointOf = ({ spec }: LivePeer): string =>
    spec.endpoint === undefined ? "no endpoint" : endpointText(spec.endpoint);

/** A peer that may not roam is put back to its spec every 30 seconds (docs/kilo.md: keepalive means roaming). */
function wiped(end: End, peer: LivePeer): Break | undefined {
    if (keepaliveOf(peer) > 0) return undefined;
    const words = `${peer.name} has ${endpointOf(peer)} and no keepalive: Kilo takes the way back away every 30 seconds`;
    return broken("EndpointReset", end, words, peer);
}

export const hasSeen = ({ plane, node }: End, other: End): boolean =>
    plane.handshakes.get(node.name)?.has(other.node.key!) === true;

/** Whether packets to the peer's endpoint come to the node, as far as the API tells. */
function leads({ plane }: End, peer: LivePeer, to: End): boolean {
    const { node } = to;
    const { endpoint } = peer.spec;
    if (keepaliveOf(peer) > 0 && [...plane.handshakes.values()].some((keys) => keys.has(node.key!))) return true;
    if (endpoint === undefined) return false;
    // adopted: it is where this cluster saw the node
    if (peer.configured !== undefined) return true;
    if (to.plane.spec.nat === true) return false;
    const set = configuredEndpoint(node, to.plane.spec);
    const own = [node.forceEndpoint, node.kiloEndpoint].flatMap((each) => parseEndpoint(each ?? "") ?? []);
    if (set.kind === "set") own.push(set.endpoint);
    const isOwnAddress = addressesOf(node).some((each) => each === endpoint.dnsOrIP.ip);
    return own.some(
        ({ text, spec }) => text === endpointText(endpoint) || (isOwnAddress && spec.port === endpoint.port),
    );
}

/** The peer whose networks cover the source; WireGuard takes nothing from anybody else. */
export function acceptance(near: End, far: End, source: Address): LivePeer | undefined | Break {
    const found = longest(deviceOf(far.plane, far.node), source);
    const [first] = found;
    const peer = first && "peer" in first ? first.peer : undefined;
    if (first !== undefined && found.every(({ key }) => key === near.node.key)) return peer;
    const who =
        first === undefined
            ? "no peer there covers it"
            : `${first.network.text} is what ${found.map(nameOf).join(" and ")} may send`;
    const words = `${far.node.name} refuses ${source.text} from ${near.node.name}: ${who}`;
    return broken("SourceRefused", far, words, peer);
}

export const nameOf = (holder: ReturnType<typeof longest>[number]): string =>
    "peer" in holder ? `peer ${holder.peer.name}` : `the cluster's own node ${holder.segment.leader.name}`;
