import type { Address, Cidr } from "./addresses";
import type { StoredPeer } from "./peer-store";
import { PrefixTable } from "./prefix-table";
import type { ReadyNode, Segment, Topology } from "./topology";

/** Where a node sends a packet. */
export type Route =
    /** Its own pods. */
    | { readonly kind: "local" }
    /** The network it is connected to. */
    | { readonly kind: "wire" }
    /** Straight to a node of its location. */
    | { readonly kind: "neighbour"; readonly node: string }
    /** The leader of its location, who has the tunnels. */
    | { readonly kind: "leader"; readonly node: string }
    /** The WireGuard interface. */
    | { readonly kind: "tunnel" };

export interface WantedRoute {
    readonly to: Cidr;
    readonly route: Route;
}

/** What the kernel has without Kilo. */
function kernelRoutes({ facts }: ReadyNode): readonly WantedRoute[] {
    return [
        ...facts.podCIDRs.map((to) => ({ to, route: { kind: "local" } as const })),
        ...(facts.internalIP ? [{ to: facts.internalIP, route: { kind: "wire" } as const }] : []),
    ];
}

interface Place {
    readonly self: ReadyNode;
    readonly own: Segment;
    readonly topology: Topology;
    /** Another network plugin connects pods of both families inside a location. */
    readonly bothFamiliesInside: boolean;
}

/** In the order in which the agent sets them: its own cluster, then Peers by name. */
export function wantedRoutes(place: Place, peers: readonly StoredPeer[]): readonly WantedRoute[] {
    const { self, own, topology } = place;
    const out: Route = own.leader.name === self.name ? { kind: "tunnel" } : { kind: "leader", node: own.leader.name };
    const wanted: WantedRoute[] = [];
    const near = topology.neighboursOf(self.name);
    const neighbours = new Set(near.map(({ name }) => name));
    for (const node of near) {
        const route: Route = { kind: "neighbour", node: node.name };
        const pods = place.bothFamiliesInside ? node.facts.podCIDRs : [node.podCIDR];
        for (const to of pods) wanted.push({ to, route });
    }
    for (const segment of topology.segments) {
        if (segment === own || neighbours.has(segment.leader.name)) continue;
        for (const to of segment.routed) wanted.push({ to, route: out });
    }
    for (const { allowedIPs } of peers) for (const to of allowedIPs) wanted.push({ to, route: out });
    return wanted;
}

/** The routing table of a node: the kernel's routes and what an agent made of them over time. */
export class RoutingTable {
    readonly #table = new PrefixTable<Route>();
    readonly #kernel: readonly WantedRoute[];
    #set = new Map<string, WantedRoute>();
    readonly #replaced = new Set<WantedRoute>();

    constructor(self: ReadyNode) {
        this.#kernel = kernelRoutes(self);
        for (const { to, route } of this.#kernel) this.#table.set(to, route);
    }

    lookup(address: Address): Route | undefined {
        return this.#table.lookup(address);
    }

    /** The network that the node is connected to was replaced by a Peer's. */
    get wireLost(): boolean {
        for (const { route } of this.#replaced) if (route.kind === "wire") return true;
        return false;
    }

    entries(): readonly WantedRoute[] {
        const kept = this.#kernel.filter((route) => !this.#replaced.has(route));
        return [...kept, ...this.#set.values()];
    }

    /**
     * A route with host bits is refused and ends the whole update, so what is no longer wanted stays too (docs/kilo.md: masked
     * ranges only). One equal to the kernel's replaces it for good (docs/kilo.md: routes replace what is there).
     */
    update(wanted: readonly WantedRoute[]): void {
        const next = new Map<string, WantedRoute>();
        for (const entry of wanted) {
            if (!entry.to.masked) {
                for (const [id, present] of next) this.#set.set(id, present);
                return;
            }
            next.set(entry.to.id, entry);
            this.#table.set(entry.to, entry.route);
            for (const own of this.#kernel) {
                if (own.to.network === entry.to.network && own.to.length === entry.to.length) this.#replaced.add(own);
            }
        }
        for (const [id, { to }] of this.#set) if (!next.has(id)) this.#table.delete(to);
        this.#set = next;
    }

    /** docs/kilo.md, clean stop: the agent takes its routes away. */
    clear(): void {
        for (const { to } of this.#set.values()) this.#table.delete(to);
        this.#set = new Map();
    }
}
