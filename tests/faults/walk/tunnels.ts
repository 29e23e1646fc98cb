import type { MemberCluster } from "../../support/engine/member-cluster";
import type { PeerEvent } from "../../support/kilo-model/cluster-plane";
import { DataPlane } from "../../support/kilo-model/data-plane";
import type { NodeRef } from "../../support/kilo-model/objects";
import type { Reach } from "../../support/kilo-model/reach";
import type { Model } from "./model";
import type { Tally } from "./tally";

/** Pods of two nodes of different clusters, one way: the answer to each packet is part of it. */
interface Pair {
    readonly from: NodeRef;
    readonly to: NodeRef;
    /** A stranger has what one end needs: the program joins them, and nobody promises it. */
    readonly join: "joined" | "apart" | "contested";
}

interface Failed {
    readonly pair: Pair;
    readonly when: string;
}

/** What Kilo makes of our writes: who reaches whom at each single one, and at the end. */
export class Tunnels {
    #plane: DataPlane | undefined;
    #pairs: readonly Pair[] = [];
    /** Joined, and it worked when the run began and after every write since. */
    #working = new Set<Pair>();
    #failed: Failed[] = [];
    readonly #deleted = new Set<string>();

    constructor(
        private readonly members: readonly MemberCluster[],
        private readonly model: Model,
        private readonly tally: Tally,
        private readonly demand: (holds: boolean, what: string) => void,
    ) {
        for (const { name, onWrite } of members) onWrite?.((event) => this.#follow(name, event));
    }

    /** A run begins: agents know what is there, and all that can talk have done so. */
    async begin(): Promise<void> {
        this.#pairs = this.#pairsNow();
        this.#plane = await this.#planeNow();
        this.#plane.exchangeAll();
        const plane = this.#plane;
        this.#working = new Set(this.#pairs.filter((pair) => pair.join === "joined" && reach(plane, pair).ok));
    }

    /** The run is over. What it may interrupt is pairs whose own peer it replaces, or lost because it failed. */
    end(): void {
        for (const { pair, when } of this.#failed) {
            const isReplaced = ownPeers(pair).some((peer) => this.#deleted.has(peer));
            this.demand(isReplaced, `${textOf(pair)} stopped working after ${when}, and its peers were not replaced`);
            this.tally.interrupted += 1;
        }
        this.#working.clear();
        this.#deleted.clear();
        this.#failed = [];
    }

    /** Half a minute later: all pairs that the program joins reach each other, and no others do. */
    async asDeclared(): Promise<void> {
        const follows = this.members.every(({ onWrite }) => onWrite !== undefined);
        const plane = follows ? this.#plane! : await this.#planeNow();
        for (const { name } of this.members) plane.resync(name);
        for (const pair of this.#pairs) {
            if (pair.join === "contested") continue;
            const found = reach(plane, pair);
            this.demand(
                found.ok === (pair.join === "joined"),
                `${textOf(pair)} is ${pair.join}, and the model says ${JSON.stringify(found)}`,
            );
            this.tally.judged += 1;
        }
    }

    #follow(cluster: string, event: PeerEvent): void {
        const plane = this.#plane;
        if (plane === undefined) return;
        plane.apply(cluster, event);
        const name = event.object.metadata?.name ?? "";
        if (event.type === "DELETED") this.#deleted.add(`${cluster}/${name}`);
        if (this.#working.size > 0) this.tally.writes += 1;
        for (const pair of this.#working) {
            // A write changes the agents of its own cluster only.
            if (pair.from.cluster !== cluster && pair.to.cluster !== cluster) continue;
            const found = reach(plane, pair);
            if (found.ok) continue;
            this.#working.delete(pair);
            this.#failed.push({ pair, when: `${event.type} ${cluster}/${name} (${found.reason}: ${found.detail})` });
        }
    }

    async #planeNow(): Promise<DataPlane> {
        const all = await Promise.all(
            this.members.map(async (member) => {
                const [nodes, peers] = await Promise.all([member.nodes(), member.peers()]);
                return [member.name, { nodes, peers }] as const;
            }),
        );
        return new DataPlane(Object.fromEntries(all));
    }

    #pairsNow(): readonly Pair[] {
        const peers = this.model.peers();
        const nodes = this.model.clusters.flatMap(({ name, nodes: own }) =>
            [...own.keys()].map((node): NodeRef => ({ cluster: name, node })),
        );
        return nodes.flatMap((from) =>
            nodes
                .filter(({ cluster }) => cluster !== from.cluster)
                .map((to): Pair => {
                    const isWanted = (of: NodeRef, target: NodeRef) => peerOf(of) in peers[target.cluster]!.wanted;
                    const isJoined = isWanted(from, to) && isWanted(to, from);
                    const isLinked = this.model.isLinked(from.cluster, to.cluster);
                    return { from, to, join: isJoined ? "joined" : isLinked ? "contested" : "apart" };
                }),
        );
    }
}

const reach = (plane: DataPlane, { from, to }: Pair): Reach => plane.reach(from, to);

const peerOf = ({ cluster, node }: NodeRef): string => `edge--${cluster}--${node}`;

const ownPeers = ({ from, to }: Pair): readonly string[] => [
    `${to.cluster}/${peerOf(from)}`,
    `${from.cluster}/${peerOf(to)}`,
];

const textOf = ({ from, to }: Pair): string => `${from.node} → ${to.node}`;
