import { type Address, contains, formatAddress } from "./addresses";
import type { Host, Spot, World } from "./host";
import type { NodeRef } from "./objects";
import { type Failure, failure, type Place } from "./reach";
import type { Route } from "./routes";
import type { Tunnel, TunnelBetween } from "./tunnels";

export interface Packet {
    readonly from: Host;
    readonly source: Address;
    readonly destination: Address;
    /** The session stands: this is the answer to a packet that came. */
    readonly established: boolean;
}

export interface Crossing {
    readonly near: Host;
    readonly far: Host;
    readonly tunnel: Tunnel;
}

export interface Delivery {
    readonly ok: true;
    readonly at: Host;
    /** That node has the address; otherwise the packet leaves by its default route. */
    readonly local: boolean;
    readonly nodes: readonly NodeRef[];
    readonly crossings: readonly Crossing[];
}

const MOST_HOPS = 8;

/** Follows a packet from node to node: routes by longest prefix, WireGuard by its own. */
export class PacketWalk {
    /** Places that were asked for: who asks for all pairs asks for each many times. */
    readonly spots = new WeakMap<Place, Spot | Failure>();

    constructor(
        readonly world: World,
        readonly tunnel: TunnelBetween,
        readonly traffic: boolean,
    ) {}

    deliver(packet: Packet): Delivery | Failure {
        const nodes: NodeRef[] = [];
        const crossings: Crossing[] = [];
        let at = packet.from;
        while (nodes.push(at.ref) <= MOST_HOPS) {
            const next = this.#step(packet, at);
            if (next === "here" || next === "out") return { ok: true, at, local: next === "here", nodes, crossings };
            if ("ok" in next) return next;
            if ("tunnel" in next) crossings.push(next);
            at = next.far;
        }
        return failure("routing-loop", at.ref, `after ${nodes.map(({ node }) => node).join(", ")}`);
    }

    #step(packet: Packet, at: Host): "here" | "out" | Failure | Crossing | { readonly far: Host } {
        if (at.notReady !== undefined) return failure("node-not-ready", at.ref, at.notReady);
        const { routes } = at.agent;
        if (routes === undefined) return failure("frozen", at.ref, "its agent never came to an end");
        const { destination } = packet;
        const route = routes.lookup(destination);
        if (at.facts.podCIDRs.some((cidr) => contains(cidr, destination)) && route?.kind !== "local") {
            return failure("own-network-replaced", at.ref, `${formatAddress(destination)} is routed elsewhere`);
        }
        if (at.addresses.includes(destination) || route?.kind === "local") return "here";
        if (route === undefined) return "out";
        if (route.kind === "tunnel") return this.#cross(packet, at);
        if (routes.wireLost) return failure("own-network-replaced", at.ref, "the network of its own location");
        const far = this.#neighbour(at, route, destination);
        return far === undefined ? "out" : { far };
    }

    #neighbour({ ref: { cluster }, facts }: Host, route: Route, destination: Address): Host | undefined {
        if ("node" in route) return this.world.find(cluster, route.node);
        return this.world.hosts.find(
            (host) =>
                host.ref.cluster === cluster &&
                host.facts.location === facts.location &&
                host.facts.internalIP?.address === destination,
        );
    }

    #cross(packet: Packet, at: Host): Failure | Crossing {
        const holder = at.agent.device?.holders.lookup(packet.destination);
        if (holder === undefined || holder.contested) {
            const target = formatAddress(packet.destination);
            return holder === undefined
                ? failure("no-wireguard-peer", at.ref, `none has ${target}`)
                : failure("network-contested", at.ref, `several have ${target}`);
        }
        let first: Failure | undefined;
        for (const far of this.world.withKey(holder.key)) {
            const found = this.#enter(packet, at, far);
            if (!("ok" in found)) return found;
            first ??= found;
        }
        return first ?? failure("nobody-has-key", at.ref, at.agent.device!.peers.get(holder.key)!.name);
    }

    #enter(packet: Packet, near: Host, far: Host): Failure | Crossing {
        if (far.notReady !== undefined) return failure("node-not-ready", far.ref, far.notReady);
        const tunnel = this.tunnel(near, far);
        if (!tunnel.ok) return tunnel;
        const dials = this.traffic || packet.established || tunnel.opens || far.facts.keepalive > 0;
        if (!dials && !tunnel.near.handshake) {
            return failure(
                "nobody-dials",
                far.ref,
                `${near.ref.node} cannot open the tunnel and ${far.ref.node} does not`,
            );
        }
        // WireGuard: what comes in is from an address that would be sent to the same peer.
        const holder = far.agent.device?.holders.lookup(packet.source);
        if (holder?.key !== near.facts.key || holder?.contested === true) {
            const source = formatAddress(packet.source);
            return failure("source-refused", far.ref, `${source} is not among what ${near.ref.node} may send`);
        }
        return { near, far, tunnel };
    }
}
