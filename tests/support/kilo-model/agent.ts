import type { Address } from "./addresses";
import { configure, type Device, differs, type WantedPeer } from "./device";
import { type Endpoint, sameEndpoint } from "./endpoint";
import type { PeerStore, StoredPeer } from "./peer-store";
import { RoutingTable, wantedRoutes } from "./routes";
import type { ReadyNode, Segment, Topology } from "./topology";

/** What an agent sees of its cluster when it acts. */
export interface ClusterView {
    readonly topology: Topology;
    readonly peers: readonly StoredPeer[];
    /** Endpoints at which other nodes of the cluster see a key. */
    readonly observed: (key: string) => Endpoint | undefined;
    readonly bothFamiliesInside: boolean;
}

/** Kilo on one node: what it remembers, and the WireGuard interface and routes it has made. */
export class Agent {
    device: Device | undefined;
    routes: RoutingTable | undefined;
    leader: string | undefined;
    wireguardIP: Address | undefined;
    /** An agent that is stopped changes nothing. */
    running = true;
    reconfigurations = 0;
    #wanted: readonly WantedPeer[] = [];

    constructor(public store: PeerStore) {}

    /** One pass of the agent over everything it knows. */
    act(name: string, view: ClusterView): void {
        const own = view.topology.segmentOf.get(name);
        const self = own?.nodes.find((node) => node.name === name);
        if (!this.running || own === undefined || self === undefined) return;
        this.routes ??= new RoutingTable(self);
        this.leader = own.leader.name;
        this.wireguardIP = own.leader.name === name ? own.wireguardIP : undefined;
        if (own.leader.name === name) this.#configure(self, own, view);
        else this.device = undefined;
        this.routes.update(
            wantedRoutes(
                { self, own, topology: view.topology, bothFamiliesInside: view.bothFamiliesInside },
                view.peers,
            ),
        );
    }

    /** Even right after it was configured the device is not what the agent wants: it is again, every 30 seconds. */
    get churning(): boolean {
        return (
            this.device !== undefined && !this.device.exact && differs(this.device, this.#wanted, this.device.keepalive)
        );
    }

    /** What this node itself has seen of a key since it was configured. */
    discovered(key: string): Endpoint | undefined {
        const peer = this.device?.peers.get(key);
        return peer?.handshake ? peer.endpoint : undefined;
    }

    #configure(self: ReadyNode, own: Segment, view: ClusterView): void {
        const wanted = this.#wantedPeers(own, view);
        const { keepalive } = self.facts;
        this.#wanted = wanted;
        if (this.device !== undefined && !differs(this.device, wanted, keepalive)) {
            for (const { key, roams, configured, endpoint } of wanted) {
                const present = this.device.peers.get(key);
                if (present === undefined) continue;
                present.roams = roams;
                // What was learnt is what is asked for now: the next check finds nothing to set back.
                if (sameEndpoint(present.endpoint, endpoint)) present.configured = configured;
            }
            return;
        }
        this.device = configure(wanted, { ownKey: self.key, keepalive, before: this.device });
        this.reconfigurations++;
    }

    #wantedPeers(own: Segment, { topology, peers, observed }: ClusterView): readonly WantedPeer[] {
        const near = new Set(topology.neighboursOf(own.leader.name).map(({ name }) => name));
        // docs/kilo.md, persistentKeepalive: what may roam has the endpoint at which it was seen, if it was.
        const seen = (key: string, configured: Endpoint | undefined, roams: boolean) =>
            (roams ? (this.discovered(key) ?? observed(key)) : undefined) ?? configured;
        const segments = topology.segments
            .filter((segment) => segment !== own && !near.has(segment.leader.name))
            .map(({ name, leader: { key, at, facts }, allowedIPs }) => {
                const roams = facts.keepalive > 0;
                const endpoint = seen(key, at, roams);
                return { name, key, allowedIPs, configured: at, endpoint, roams, presharedKey: undefined };
            });
        return [
            ...segments,
            ...peers.map(({ facts: { name, key, roams, presharedKey }, allowedIPs, at }) => {
                const endpoint = seen(key, at, roams);
                return { name, key, allowedIPs, configured: at, endpoint, roams, presharedKey };
            }),
        ];
    }
}
