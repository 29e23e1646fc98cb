import type { ClusterHandle } from "../../../tools/clusters";
import { type Declaration, linksOf } from "../../support/kilo-model/declaration";
import { type Violation, violationText } from "../../support/kilo-model/judge";
import type { ClusterObjects, NodeObject } from "../../support/kilo-model/objects";
import type { Options } from "../../support/kilo-model/options";
import { RunJudge } from "../../support/kilo-model/run-judge";
import { type PeerWatch, watchPeers } from "../../support/watch-peers";
import type { MeshEntry, Outcome } from "./project";
import { isOurs, type Write } from "./writes";

/** What a test knows of its runs and their programs do not say. Holds until the next one, or until the world is reset. */
export interface Expectation {
    /** Clusters whose API server is away: what they held when it was last asked still stands. */
    readonly silent?: readonly string[];
    /** Pairs that a program joins and that cannot be joined now, each a cluster or `cluster/node`. */
    readonly apart?: Declaration["apart"];
    /** Joined though no program says so: peers that were left behind. */
    readonly joined?: readonly (readonly [string, string])[];
    /** `address:port` of a NAT, and the node that answers there. */
    readonly forwards?: NonNullable<Options["forwards"]>;
    /** How many pairs each run interrupts, one way, because it replaces a peer of theirs. Default: none. */
    readonly interrupted?: number;
}

type Kind = "up" | "destroy";

/** Whatever has a program: what `pulumi up` would make of it now. */
export interface Programmed {
    readonly meshes: readonly MeshEntry[];
}

/** Lets the model of Kilo judge every run over real clusters: each single write, and what a run that succeeded came to. */
export class JudgedRuns {
    readonly #watches = new Map<string, PeerWatch>();
    readonly #writes: Write[] = [];
    /** What was last seen in each cluster. */
    readonly #seen = new Map<string, ClusterObjects>();
    readonly #programs = new Map<Programmed, readonly MeshEntry[]>();
    #expectation: Expectation = {};

    /** By the names that the programs and their nodes use. */
    constructor(private readonly clusters: () => readonly (readonly [string, ClusterHandle])[]) {}

    expecting(expectation: Expectation): void {
        this.#expectation = expectation;
    }

    /** Nothing is meshed any more, and nothing is out of the ordinary. */
    reset(): void {
        this.#programs.clear();
        this.#expectation = {};
    }

    async watch(): Promise<void> {
        for (const [name, { adminKubeconfig }] of this.clusters()) {
            if (this.#watches.has(name)) continue;
            const note: Parameters<typeof watchPeers>[2] = (...events) => this.#writes.push({ cluster: name, events });
            this.#watches.set(name, await watchPeers(adminKubeconfig, isOurs, note));
        }
    }

    readonly during = async <T extends Pick<Outcome, "code">>(
        project: Programmed,
        kind: Kind,
        run: () => Promise<T>,
    ): Promise<T> => {
        await this.watch();
        if (kind === "up") this.#programs.set(project, project.meshes);
        else this.#programs.delete(project);
        const before = await this.#look();
        const judge = new RunJudge(before, this.#declaration(), this.#network());
        const first = this.#writes.length;
        const outcome = await run();
        const after = await this.#look();
        for (const { cluster, events } of this.#writes.slice(first)) judge.follow(cluster, ...events);
        const failed = outcome.code !== 0;
        this.#demandNoInterruption(judge, kind, failed);
        if (!failed) demandNone(judge.end(after), `after this ${kind} Kilo does not do what the program says`);
        return outcome;
    };

    async stop(): Promise<readonly string[]> {
        const seen = await Promise.allSettled([...this.#watches.values()].map((watch) => watch.stop()));
        return seen.flatMap((outcome) =>
            outcome.status === "fulfilled" ? outcome.value.violations : [String(outcome.reason)],
        );
    }

    #demandNoInterruption({ interrupted }: RunJudge, kind: Kind, failed: boolean): void {
        const { interrupted: allowed = 0 } = this.#expectation;
        const texts = interrupted.map(({ from, to, after, replaced }) => {
            const how = replaced ? "was replaced" : "stopped working";
            return `${from.node} → ${to.node} ${how} at ${after}`;
        });
        const unexplained = interrupted.some(({ replaced }) => !replaced);
        // A run that was cut short did not get to all that it would replace.
        const tooMany = failed ? interrupted.length > allowed : interrupted.length !== allowed;
        if (unexplained || tooMany)
            throw new Error(
                `this ${kind} interrupted ${interrupted.length} pairs, not ${allowed}: ${texts.join("; ")}`,
            );
    }

    async #look(): Promise<Record<string, ClusterObjects>> {
        const { silent = [] } = this.#expectation;
        const all = this.clusters().map(async ([name, cluster]) => {
            if (!silent.includes(name)) {
                const { items } = await cluster.request<{ items: NodeObject[] }>("GET", "/api/v1/nodes");
                this.#seen.set(name, { nodes: items, peers: await cluster.listPeers() });
                await this.#watches.get(name)?.settle();
            }
            return [name, this.#seen.get(name) ?? { nodes: [], peers: [] }] as const;
        });
        return Object.fromEntries(await Promise.all(all));
    }

    #declaration(): Declaration {
        const { apart = [], joined = [] } = this.#expectation;
        const links = [...this.#programs.values()].flat().flatMap((mesh) => this.#linksOf(mesh));
        return { links: [...links, ...joined], apart };
    }

    #network(): Options {
        const members = [...this.#programs.values()]
            .flat()
            .flatMap(({ args }) => args.clusters as readonly NamedCluster[]);
        const natted = new Set(members.flatMap((each) => (each.nat === true ? [this.#nameOf(each)] : [])));
        return { forwards: this.#expectation.forwards ?? {}, natted: ({ cluster }) => natted.has(cluster) };
    }

    #linksOf({ args }: MeshEntry): readonly (readonly [string, string])[] {
        const named = new Map(
            (args.clusters as readonly NamedCluster[]).map((each) => [each.name, this.#nameOf(each)]),
        );
        const links = linksOf([...named.keys()], args.topology as Parameters<typeof linksOf>[1]);
        return links.map(([a, b]) => [named.get(a)!, named.get(b)!] as const);
    }

    /** A program may call a cluster by another name; its network is the same. */
    #nameOf({ name, podCIDRs }: NamedCluster): string {
        const all = this.clusters();
        const found = all.find(([known]) => known === name) ?? all.find(([, { podCIDR }]) => podCIDR === podCIDRs?.[0]);
        if (found === undefined) throw new Error(`the model of Kilo does not know the cluster ${name}`);
        return found[0];
    }
}

interface NamedCluster {
    readonly name: string;
    readonly podCIDRs?: readonly string[];
    readonly nat?: boolean;
}

function demandNone(violations: readonly Violation[], what: string): void {
    if (violations.length > 0) throw new Error(`${what}: ${violations.map(violationText).join("; ")}`);
}
