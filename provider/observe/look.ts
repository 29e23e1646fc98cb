import { endpointNames } from "../kilo/endpoint";
import { readObservations } from "../kilo/observations";
import { isSetUp } from "../kilo/public-key";
import { readNodes } from "../kilo/read-nodes";
import type { Seen, Unseen } from "../mesh/knowledge";
import type { ClusterSpec } from "../mesh/types";
import { recordedNodes } from "./member-inputs";
import type { Observation, ObserveOptions } from "./observe-clusters";
import { observeTarget } from "./observe-target";
import { resolveNames } from "./resolve-names";

/** What one run sees of the clusters, as knowledge. */
export interface Sight {
    readonly clusters: Readonly<Record<string, Seen | Unseen>>;
    /** Uid of each cluster, where we may read it. */
    readonly identities: Readonly<Record<string, string>>;
    /** Kubeconfigs that were read from Secrets. Secret! */
    readonly kubeconfigs: Readonly<Record<string, string>>;
    /** DNS names of endpoints that certainly do not exist. */
    readonly unresolvable: readonly string[];
    /** Addresses of the others. */
    readonly resolved: Readonly<Record<string, string>>;
}

export const NOTHING_SEEN: Sight = {
    clusters: {},
    identities: {},
    kubeconfigs: {},
    unresolvable: [],
    resolved: {},
};

export type LookOptions = Pick<ObserveOptions, "clock" | "onProgress" | "requestTimeoutSeconds">;

/** Reads all clusters at once. What was observed is public: nothing of a kubeconfig is in the result but `kubeconfigs`. */
export async function look(clusters: readonly ClusterSpec[], options: LookOptions): Promise<Sight> {
    // Loaded here and not earlier: it brings the HTTP client, and the engine starts our provider meanwhile.
    const { observeEach }: typeof import("./observe-clusters") = require("./observe-clusters");
    const specs = new Map(clusters.map((cluster) => [cluster.name, cluster]));
    const reduce = (name: string, found: Observation) => {
        const knowledge = knowledgeOf(specs.get(name)!, found);
        // here, while the others are waited for
        if (knowledge.state === "seen") recordedNodes(knowledge.nodes);
        return { knowledge, identity: found.ok ? found.identity : undefined };
    };
    const observed = await observeEach(clusters.map(observeTarget), reduce, options);
    const seen: Record<string, Seen | Unseen> = {};
    const identities: Record<string, string> = {};
    const names = new Set<string>();
    for (const [name, { knowledge, identity }] of Object.entries(observed.clusters)) {
        seen[name] = knowledge;
        if (identity !== undefined) identities[name] = identity;
        if (knowledge.state === "seen") for (const endpoint of endpointNames(knowledge.nodes)) names.add(endpoint);
    }
    const { unresolvable, addresses } = await resolveNames([...names].sort(), {
        timeoutSeconds: options.requestTimeoutSeconds,
    });
    return { clusters: seen, identities, kubeconfigs: observed.kubeconfigs, unresolvable, resolved: addresses };
}

/** Staleness is judged by the clock of the cluster itself; ours may be wrong, and other clusters take their time. */
export function knowledgeOf(cluster: ClusterSpec, found: Observation): Seen | Unseen {
    if (!found.ok) {
        return { state: found.state, reason: found.message, fix: found.fix, holder: found.holder };
    }
    const now = found.at ?? Math.floor(Date.now() / 1000);
    return {
        state: "seen",
        nodes: readNodes(found.nodes, cluster, now),
        peers: found.peers,
        observed: readObservations(found.nodes),
    };
}

/** Seconds after which annotations that are still missing count: a rollout of Kilo takes them away for a moment only. */
const SETTLE_SECONDS = 5;
const WAIT_SECONDS = 2;

const sleep = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Looks at some of the clusters again, a moment later; of the others it keeps what was seen. */
export async function lookAgain(
    sight: Sight,
    clusters: readonly ClusterSpec[],
    options: LookOptions & { readonly afterSeconds?: number },
): Promise<Sight> {
    await sleep(options.afterSeconds ?? SETTLE_SECONDS);
    const again = await look(withHolders(clusters, sight), options);
    // a cluster that fell silent meanwhile says nothing against what was seen a moment ago
    const seen = Object.entries(again.clusters).filter(([, { state }]) => state === "seen");
    return {
        ...sight,
        clusters: { ...sight.clusters, ...Object.fromEntries(seen) },
        identities: { ...sight.identities, ...again.identities },
        unresolvable: [...new Set([...sight.unresolvable, ...again.unresolvable])].sort(),
        resolved: { ...sight.resolved, ...again.resolved },
    };
}

/** A kubeconfig that was read from a Secret a moment ago need not be read again. */
const withHolders = (clusters: readonly ClusterSpec[], { kubeconfigs }: Sight): readonly ClusterSpec[] =>
    clusters.map(({ kubeconfigSecret, ...cluster }) => {
        const kubeconfig = kubeconfigs[cluster.name];
        return kubeconfig === undefined ? cluster : { ...cluster, kubeconfig };
    });

export interface WaitOptions extends LookOptions {
    readonly waitSeconds: number;
    readonly onWait: (clusters: readonly string[], secondsLeft: number) => void;
}

/** Waits for clusters that answer but have no node that Kilo has set up yet, then goes on with what there is. */
export async function waitForNodes(
    first: Sight,
    clusters: readonly ClusterSpec[],
    options: WaitOptions,
): Promise<Sight> {
    const end = Date.now() + options.waitSeconds * 1000;
    let sight = first;
    for (;;) {
        const empty = clusters.filter(({ name }) => isEmpty(sight.clusters[name]));
        const left = Math.ceil((end - Date.now()) / 1000);
        if (empty.length === 0 || left <= 0) return sight;
        options.onWait(
            empty.map(({ name }) => name),
            left,
        );
        sight = await lookAgain(sight, empty, { ...options, afterSeconds: Math.min(WAIT_SECONDS, left) });
    }
}

const isEmpty = (knowledge: Seen | Unseen | undefined): boolean =>
    knowledge?.state === "seen" && !knowledge.nodes.some(isSetUp);
