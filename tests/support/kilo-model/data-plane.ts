import { formatAddress } from "./addresses";
import { ClusterPlane, type PeerEvent } from "./cluster-plane";
import { groupBy } from "./group-by";
import type { Host, World } from "./host";
import { journey } from "./journey";
import type { ClusterObjects, NodeObject } from "./objects";
import type { Options } from "./options";
import { type Crossing, PacketWalk } from "./packets";
import type { Place, Reach } from "./reach";
import { tunnels } from "./tunnels";
import { type Underlay, underlay } from "./underlay";

/** The WireGuard interface of a node, or what keeps it from having one. */
export interface WireGuard {
    readonly leader: string | undefined;
    /** Whether Kilo would configure it again every 30 seconds. */
    readonly churns: boolean;
    readonly wireguardIP: string | undefined;
    readonly keepalive: number;
    /** By key; empty on a node that does not lead. */
    readonly peers: readonly {
        readonly name: string;
        readonly key: string;
        readonly endpoint: string | undefined;
        /** What WireGuard gives it, not what it was asked for. */
        readonly allowedIPs: readonly string[];
        readonly handshake: boolean;
    }[];
}

/** What Kilo makes of all clusters' objects, followed from event to event. */
export class DataPlane {
    readonly #clusters: ReadonlyMap<string, ClusterPlane>;
    readonly #net: Underlay;
    readonly #options: Options;
    #walk: PacketWalk | undefined;

    constructor(clusters: Readonly<Record<string, ClusterObjects>>, options: Options = {}) {
        const { now, resolve = () => undefined, bothFamiliesInside = false } = options;
        this.#options = options;
        this.#net = underlay(options);
        this.#clusters = new Map(
            Object.entries(clusters).map(([name, objects]) => {
                const plane = new ClusterPlane(name, objects, { resolve, bothFamiliesInside });
                plane.now = typeof now === "object" ? now[name] : now;
                plane.act();
                for (const agent of plane.agents.values()) agent.reconfigurations = 0;
                return [name, plane];
            }),
        );
    }

    /** A write of a Peer, as a watch tells it. */
    apply(cluster: string, event: PeerEvent): void {
        this.#change(cluster).setPeer(event);
    }

    setNode(cluster: string, node: NodeObject): void {
        this.#change(cluster).setNode(node);
    }

    removeNode(cluster: string, node: string): void {
        this.#change(cluster).removeNode(node);
    }

    missDeletion(cluster: string, peer: string): void {
        this.#change(cluster).missDeletion(peer);
    }

    /** Five minutes pass. */
    redeliver(cluster: string): void {
        this.#change(cluster).redeliver();
    }

    /** Thirty seconds pass; at the given moment, if there is one. */
    resync(cluster: string, now?: number): void {
        const plane = this.#change(cluster);
        if (now !== undefined) plane.now = now;
        plane.act();
    }

    restart(cluster: string, node: string): void {
        this.#change(cluster).restart(node);
    }

    stop(cluster: string, node: string): void {
        this.#change(cluster).stop(node);
    }

    /** How often each node's WireGuard was configured since the beginning, sessions lost each time. */
    reconfigurations(cluster: string): Readonly<Record<string, number>> {
        const { agents } = this.#plane(cluster);
        return Object.fromEntries([...agents].map(([name, agent]) => [name, agent.reconfigurations]));
    }

    /** Whether a packet gets there, and its answer back. */
    reach(from: Place, to: Place): Reach {
        return journey(this.#walks(), from, to).reach;
    }

    /** The same with packets that are really sent: ends of tunnels learn where the other one is. */
    exchange(from: Place, to: Place): Reach {
        const { reach, deliveries } = journey(this.#walks(), from, to);
        for (const { crossings } of deliveries) for (const crossing of crossings) this.#learn(crossing);
        return reach;
    }

    /** A pod of each ready node talks to a pod of each other. */
    exchangeAll(): void {
        const { hosts } = this.#walks().world;
        const ready = hosts.filter(({ notReady }) => notReady === undefined);
        for (const { ref: from } of ready) for (const { ref: to } of ready) if (from !== to) this.exchange(from, to);
    }

    wireguard(cluster: string, node: string): WireGuard {
        const { agent, facts } = this.#host(cluster, node);
        const { device, leader, churning: churns, wireguardIP } = agent;
        const peers = [...(device?.peers.values() ?? [])].sort((a, b) => (a.key < b.key ? -1 : 1));
        return {
            leader,
            churns,
            wireguardIP: wireguardIP === undefined ? undefined : formatAddress(wireguardIP),
            keepalive: device?.keepalive ?? facts.keepalive,
            peers: peers.map(({ name, key, endpoint, allowedIPs, handshake }) => ({
                name,
                key,
                endpoint: endpoint && `${formatAddress(endpoint.ip)}:${endpoint.port}`,
                allowedIPs: allowedIPs
                    .filter((cidr) => device?.holders.get(cidr)?.key === key)
                    .map(({ network, length }) => `${formatAddress(network)}/${length}`)
                    .sort(),
                handshake,
            })),
        };
    }

    /** `network` → what becomes of a packet to it. */
    routes(cluster: string, node: string): Readonly<Record<string, string>> {
        const entries = this.#host(cluster, node).agent.routes?.entries() ?? [];
        return Object.fromEntries(
            entries
                .map(({ to, route }): readonly [string, string] => {
                    const network = `${formatAddress(to.network)}/${to.length}`;
                    return [network, "node" in route ? `${route.kind} ${route.node}` : route.kind];
                })
                .sort(([a], [b]) => (a < b ? -1 : 1)),
        );
    }

    /** Names of the nodes that Kilo leaves out, with why. */
    notReady(cluster: string): Readonly<Record<string, string>> {
        const hosts = this.#plane(cluster).hosts(0);
        return Object.fromEntries(hosts.flatMap(({ ref, notReady }) => (notReady ? [[ref.node, notReady]] : [])));
    }

    /** The leader of each ready node that has one. */
    leaders(cluster: string): Readonly<Record<string, string>> {
        const hosts = this.#plane(cluster).hosts(0);
        return Object.fromEntries(
            hosts.flatMap(({ ref, notReady, agent }) => (notReady || !agent.leader ? [] : [[ref.node, agent.leader]])),
        );
    }

    #learn({ near, far, tunnel }: Crossing): void {
        for (const [host, peer, other] of [
            [near, tunnel.near, far],
            [far, tunnel.far, near],
        ] as const) {
            peer.handshake = true;
            if (peer.endpoint !== undefined && this.#net.leadsTo(host, peer.endpoint, other)) continue;
            peer.endpoint = this.#net.sourceOf(other, host);
            this.#walk = undefined;
        }
    }

    #walks(): PacketWalk {
        this.#walk ??= this.#newWalk();
        return this.#walk;
    }

    #newWalk(): PacketWalk {
        const hosts: Host[] = [];
        for (const plane of this.#clusters.values()) hosts.push(...plane.hosts(hosts.length));
        const byName = new Map(hosts.map((host) => [`${host.ref.cluster}/${host.ref.node}`, host]));
        const byKey = groupBy(hosts, ({ facts }) => facts.key);
        const world: World = {
            hosts,
            find: (cluster, node) => byName.get(`${cluster}/${node}`),
            withKey: (key) => byKey.get(key) ?? [],
        };
        return new PacketWalk(world, tunnels(this.#net, hosts.length), this.#options.traffic ?? true);
    }

    #change(cluster: string): ClusterPlane {
        this.#walk = undefined;
        return this.#plane(cluster);
    }

    #plane(cluster: string): ClusterPlane {
        const plane = this.#clusters.get(cluster);
        if (plane === undefined) throw new Error(`the model has no cluster ${cluster}`);
        return plane;
    }

    #host(cluster: string, node: string): Host {
        const host = this.#walks().world.find(cluster, node);
        if (host === undefined) throw new Error(`the model has no node ${cluster}/${node}`);
        return host;
    }
}
