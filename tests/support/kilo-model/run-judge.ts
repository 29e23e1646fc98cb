import { type Cidr, contains, parseCidr } from "./addresses";
import type { PeerEvent } from "./cluster-plane";
import { DataPlane } from "./data-plane";
import { type Candidate, type Declaration, joins, type Pod, podOf, podsOf } from "./declaration";
import { judge, type Violation } from "./judge";
import type { ClusterObjects, PeerObject } from "./objects";
import type { Options } from "./options";

type Clusters = Readonly<Record<string, ClusterObjects>>;

/** Pods that worked when the run began, that the program joins, and that stopped working at a write. */
export interface Interruption {
    readonly from: Pod;
    readonly to: Pod;
    readonly after: string;
    /** A Peer of one of the two was deleted in this run: whether to be made again or not, its tunnel ends with it. */
    readonly replaced: boolean;
}

interface Pair {
    readonly from: Candidate;
    readonly to: Candidate;
}

/** Follows the writes of one run, one by one, and says what they did to those who talked before. */
export class RunJudge {
    readonly interrupted: Interruption[] = [];
    readonly #plane: DataPlane;
    readonly #peers: Map<string, PeerObject>;
    readonly #working: Set<Pair>;
    readonly #deleted: { readonly cluster: string; readonly networks: readonly Cidr[] }[] = [];

    /** A run begins: agents know what is there, and all that can talk have done so. */
    constructor(
        clusters: Clusters,
        readonly declaration: Declaration,
        readonly options?: Options,
    ) {
        this.#plane = new DataPlane(clusters, options);
        this.#plane.exchangeAll();
        this.#peers = new Map(
            Object.entries(clusters).flatMap(([cluster, { peers }]) =>
                peers.map((peer) => [idOf(cluster, peer), peer] as const),
            ),
        );
        const pods = podsOf(clusters, declaration, this.#plane);
        const joined = joins(declaration);
        const pairs = pods.flatMap((from) => pods.map((to): Pair => ({ from, to })));
        this.#working = new Set(
            pairs.filter(
                ({ from, to }) => from.cluster !== to.cluster && joined(from, to) && this.#plane.reach(from, to).ok,
            ),
        );
    }

    /** Writes to one cluster that nobody could see apart; usually a single one. */
    follow(cluster: string, ...events: readonly PeerEvent[]): void {
        for (const event of events) this.#apply(cluster, event);
        const after = events.map(({ type, object }) => `${type} ${idOf(cluster, object)}`).join(", ");
        for (const pair of this.#working) {
            const { from, to } = pair;
            // A write changes the agents of its own cluster only.
            if (from.cluster !== cluster && to.cluster !== cluster) continue;
            const found = this.#plane.reach(from, to);
            if (found.ok) continue;
            this.#working.delete(pair);
            const why = `${after} (${found.reason}: ${found.detail})`;
            this.interrupted.push({ from: podOf(from), to: podOf(to), after: why, replaced: this.#isReplaced(pair) });
        }
    }

    /** Half a minute later: all pairs that the program joins reach each other, and no others do. */
    end(clusters: Clusters): readonly Violation[] {
        for (const name of Object.keys(clusters)) this.#plane.resync(name);
        return judge({
            clusters,
            declaration: this.declaration,
            model: this.#plane,
            ...(this.options === undefined ? {} : { options: this.options }),
        });
    }

    #apply(cluster: string, event: PeerEvent): void {
        const id = idOf(cluster, event.object);
        this.#plane.apply(cluster, event);
        if (event.type !== "DELETED") {
            this.#peers.set(id, event.object);
            return;
        }
        const { spec } = this.#peers.get(id) ?? event.object;
        this.#peers.delete(id);
        this.#deleted.push({ cluster, networks: (spec?.allowedIPs ?? []).flatMap((text) => parseCidr(text) ?? []) });
    }

    #isReplaced({ from, to }: Pair): boolean {
        return this.#deleted.some(({ cluster, networks }) => {
            const remote = cluster === from.cluster ? to : cluster === to.cluster ? from : undefined;
            return remote !== undefined && networks.some((network) => contains(network, remote.parsed));
        });
    }
}

const idOf = (cluster: string, { metadata }: PeerObject): string => `${cluster}/${metadata?.name ?? ""}`;
