import { Agent, type ClusterView } from "./agent";
import { type Endpoint, type Resolve, resolved } from "./endpoint";
import { type Host, hostAddresses } from "./host";
import { type Granularity, type NodeFacts, nodeFacts, whyNotReady } from "./node-facts";
import type { ClusterObjects, NodeObject, PeerObject } from "./objects";
import { PeerStore } from "./peer-store";
import { type Topology, topology } from "./topology";

export type PeerEvent = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: PeerObject };

interface Settings {
    readonly resolve: Resolve;
    readonly bothFamiliesInside: boolean;
}

/** One cluster: its objects, and an agent on each node that follows them. */
export class ClusterPlane {
    now: number | undefined;
    readonly agents = new Map<string, Agent>();
    readonly #nodes = new Map<string, NodeFacts>();
    readonly #peers = new Map<string, PeerObject>();
    /** Agents that have seen the same events remember the same, in one place. */
    readonly #store: PeerStore;

    constructor(
        readonly name: string,
        { nodes, peers }: ClusterObjects,
        readonly settings: Settings,
    ) {
        for (const peer of [...peers].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)))
            this.#peers.set(nameOf(peer), peer);
        this.#store = new PeerStore(this.#peers.values());
        for (const node of nodes) this.#know(node);
    }

    setNode(node: NodeObject): void {
        this.#know(node);
        this.act();
    }

    removeNode(name: string): void {
        this.#nodes.delete(name);
        this.agents.delete(name);
        this.act();
    }

    setPeer({ type, object }: PeerEvent): void {
        const name = nameOf(object);
        const before = this.#peers.get(name);
        if (type === "DELETED") this.#peers.delete(name);
        else this.#peers.set(name, object);
        for (const store of this.#stores()) {
            if (type === "DELETED") store.remove(before ?? object);
            else if (before === undefined) store.put(object);
            else store.change(before, object);
        }
        this.act();
    }

    /** A deletion learnt only from a new list is lost: it stays configured (docs/kilo.md: invalid peers are skipped). */
    missDeletion(name: string): void {
        this.#peers.delete(name);
    }

    /** The five-minute resync: agents get every Peer again, as if just written (docs/kilo.md: invalid peers are skipped). */
    redeliver(): void {
        for (const store of this.#stores()) for (const peer of this.#peers.values()) store.put(peer);
        this.act();
    }

    /** The agent of a node ends and begins: it remembers what it lists. The interface stays as it is. */
    restart(name: string): void {
        const agent = this.agents.get(name);
        if (agent === undefined) return;
        agent.store = new PeerStore(this.#peers.values());
        agent.running = true;
        this.act();
    }

    /** docs/kilo.md, clean stop: WireGuard's peers stay, routes go. */
    stop(name: string): void {
        const agent = this.agents.get(name);
        if (agent === undefined) return;
        agent.running = false;
        agent.routes?.clear();
    }

    /** All agents look at everything they know, as they do after each event and every 30 seconds. */
    act(): void {
        const topologies = new Map<Granularity, Topology>();
        for (const [name, agent] of this.agents) {
            const { granularity } = this.#nodes.get(name)!;
            const { now, settings } = this;
            const made =
                topologies.get(granularity) ?? topology([...this.#nodes.values()], granularity, { now, ...settings });
            topologies.set(granularity, made);
            const peers = agent.store.settle(settings.resolve);
            // One name without an address, and the agent does nothing at all (docs/kilo.md: unresolvable names freeze Kilo).
            if ("unresolved" in peers || made.unresolved !== undefined) continue;
            const view: ClusterView = {
                topology: made,
                peers,
                observed: (key) => this.#observed(key),
                bothFamiliesInside: settings.bothFamiliesInside,
            };
            agent.act(name, view);
        }
    }

    hosts(firstId: number): readonly Host[] {
        return [...this.agents].map(([name, agent], at) => {
            const facts = this.#nodes.get(name)!;
            const endpoint = facts.endpoint && resolved(facts.endpoint, this.settings.resolve);
            return {
                id: firstId + at,
                ref: { cluster: this.name, node: name },
                facts,
                agent,
                endpoint,
                notReady: whyNotReady(facts, this.now),
                addresses: hostAddresses(facts, agent, endpoint),
            };
        });
    }

    #know(node: NodeObject): void {
        const facts = nodeFacts(this.name, node);
        const before = this.#nodes.get(facts.name);
        this.#nodes.set(facts.name, facts);
        const agent = this.agents.get(facts.name) ?? new Agent(this.#store);
        if (before !== undefined && kernelText(before) !== kernelText(facts)) agent.routes = undefined;
        this.agents.set(facts.name, agent);
    }

    #stores(): ReadonlySet<PeerStore> {
        return new Set([this.#store, ...[...this.agents.values()].map(({ store }) => store)]);
    }

    /** Other nodes' discoveries count too (docs/kilo.md: the discovered endpoint wins). */
    #observed(key: string): Endpoint | undefined {
        for (const agent of this.agents.values()) {
            const found = agent.discovered(key);
            if (found !== undefined) return found;
        }
        for (const { discovered } of this.#nodes.values()) {
            const found = discovered.get(key);
            if (found !== undefined) return found;
        }
        return undefined;
    }
}

const nameOf = ({ metadata }: PeerObject): string => metadata?.name ?? "";

/** What the node's own kernel routes: a change of it is a new node in the old one's name. */
const kernelText = ({ podCIDRs, internalIP }: NodeFacts): string =>
    [...podCIDRs, ...(internalIP === undefined ? [] : [internalIP])].map(({ id }) => id).join();
