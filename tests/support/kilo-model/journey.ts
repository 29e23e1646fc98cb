import { type Address, type Cidr, contains, formatAddress, parseAddress, widthOf } from "./addresses";
import type { Host, Spot, World } from "./host";
import type { Delivery, PacketWalk } from "./packets";
import { type Failure, failure, type Place, type Reach } from "./reach";

export interface Journey {
    readonly reach: Reach;
    /** What got through, even where it does so only until an agent's next check. */
    readonly deliveries: readonly Delivery[];
}

/** A packet and its answer. */
export function journey(walk: PacketWalk, from: Place, to: Place): Journey {
    const source = spotOf(walk, from);
    const target = spotOf(walk, to);
    if ("ok" in source) return { reach: { ...source, direction: "there" }, deliveries: [] };
    if ("ok" in target) return { reach: { ...target, direction: "there" }, deliveries: [] };
    return between(walk, source, target);
}

function between(walk: PacketWalk, source: Spot, target: Spot): Journey {
    if (source.host === undefined) {
        const detail = `no node has ${formatAddress(source.address)}`;
        const unknown = failure("unknown-place", { cluster: source.cluster, node: "" }, detail);
        return { reach: { ...unknown, direction: "there" }, deliveries: [] };
    }
    const there = send(walk, source.host, source, target, false);
    if (!there.ok) return { reach: { ...there, direction: "there" }, deliveries: [] };
    const back = send(walk, there.at, target, source, true);
    if (!back.ok) return { reach: { ...back, direction: "back" }, deliveries: [there] };
    const unstable = passing(there, "there") ?? passing(back, "back");
    return { reach: unstable ?? { ok: true, there: there.nodes, back: back.nodes }, deliveries: [there, back] };
}

/** A tunnel that works only until an agent's next check. */
function passing({ crossings }: Delivery, direction: "there" | "back"): Reach | undefined {
    for (const { tunnel } of crossings) if (tunnel.unstable !== undefined) return { ...tunnel.unstable, direction };
    return undefined;
}

function send(walk: PacketWalk, from: Host, source: Spot, target: Spot, established: boolean): Delivery | Failure {
    const packet = { from, source: source.address, destination: target.address, established };
    if (target.host?.notReady !== undefined) {
        return failure("node-not-ready", target.host.ref, target.host.notReady);
    }
    const sent = walk.deliver(packet);
    if (!sent.ok) return sent;
    if (sent.local ? sent.at === target.host : target.host === undefined && sent.at.ref.cluster === target.cluster) {
        return sent;
    }
    const address = formatAddress(target.address);
    return sent.local
        ? failure("wrong-node", sent.at.ref, `${address} is taken for its own`)
        : failure("no-route", sent.at.ref, `to ${address}`);
}

function spotOf({ world, spots }: PacketWalk, place: Place): Spot | Failure {
    const known = spots.get(place) ?? findSpot(world, place);
    spots.set(place, known);
    return known;
}

function findSpot(world: World, place: Place): Spot | Failure {
    const { cluster } = place;
    const address = place.address === undefined ? undefined : parseAddress(place.address);
    const nowhere = (detail: string): Failure =>
        failure("unknown-place", { cluster, node: "node" in place ? place.node : "" }, detail);
    if (place.address !== undefined && address === undefined) return nowhere(`${place.address} is no address`);
    if (!("node" in place)) return { cluster, host: ownerOf(world, cluster, address!), address: address! };
    const host = world.find(cluster, place.node);
    if (host === undefined) return nowhere("no such node");
    const own = address ?? (place.host ? hostAddress(host) : podAddress(host.facts.podCIDR));
    return own === undefined ? nowhere("it has no address") : { cluster, host, address: own };
}

const ownerOf = (world: World, cluster: string, address: Address): Host | undefined =>
    world.hosts.find(
        ({ ref, facts, addresses }) =>
            ref.cluster === cluster &&
            (facts.podCIDRs.some((cidr) => contains(cidr, address)) || addresses.includes(address)),
    );

/** docs/kilo.md, `src`: traffic of the node itself has its internal address, or that of WireGuard if there is none. */
const hostAddress = ({ facts, agent }: Host): Address | undefined => facts.internalIP?.address ?? agent.wireguardIP;

/** Some pod of the node. */
function podAddress(cidr: Cidr | undefined): Address | undefined {
    if (cidr === undefined || widthOf(cidr.network) - cidr.length < 2) return cidr?.network;
    return typeof cidr.network === "number" ? cidr.network + 2 : cidr.network + 2n;
}
