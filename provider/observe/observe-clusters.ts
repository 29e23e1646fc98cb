import type { LivePeer } from "../kilo/peer";
import type { KubeNode } from "../kilo/types";
import { type ClusterAccess, hasOverride } from "../kube/auth/access";
import { type Surroundings, thisMachine } from "../kube/auth/surroundings";
import { type KubeClient, openCluster } from "../kube/client";
import {
    type FailureState,
    failureState,
    KubeError,
    type KubeErrorKind,
    type NetworkFailure,
} from "../kube/errors/kube-error";
import type { Clock } from "../kube/http/clock";
import type { SecretReference } from "../mesh/types";
import type { Fix } from "../values/fix";
import { secretReader } from "./secret-chain";

export interface ObserveTarget {
    readonly name: string;
    readonly access: ClusterAccess;
    /** Where the kubeconfig is, when another member holds it. */
    readonly kubeconfigSecret?: SecretReference;
    readonly nodeSelector?: Readonly<Record<string, string>>;
}

export interface ObserveOptions {
    readonly requestTimeoutSeconds: number;
    /** For the whole list of one cluster. */
    readonly listDeadlineSeconds?: number;
    readonly onProgress?: (progress: ObserveProgress) => void;
    readonly clock?: Clock;
    readonly surroundings?: Surroundings;
}

export interface ObserveProgress {
    readonly cluster: string;
    readonly ok: boolean;
    readonly done: number;
    readonly total: number;
}

/** A cluster that could not be read, and why. */
export interface FailedObservation {
    readonly ok: false;
    readonly state: FailureState;
    readonly kind: KubeErrorKind;
    readonly message: string;
    readonly fix: Fix;
    /** How an unreachable cluster failed. */
    readonly network?: NetworkFailure;
    /** The member that holds its kubeconfig, where that one is the cause. */
    readonly holder?: string;
}

export type Observation =
    | FailedObservation
    | {
          readonly ok: true;
          readonly nodes: readonly KubeNode[];
          readonly peers: readonly LivePeer[];
          /** The API server's clock, unix seconds. */
          readonly at: number | undefined;
          /** Uid of kube-system, where we may read it. */
          readonly identity: string | undefined;
      };

export interface Observations<T = Observation> {
    readonly clusters: Readonly<Record<string, T>>;
    /** Content of the kubeconfigs that were read from Secrets, by cluster. Secret! */
    readonly kubeconfigs: Readonly<Record<string, string>>;
}

/**
 * From so many clusters on, each is asked over one connection, one thing after the other: the processor is what they wait
 * for then, and a connection costs it more than the three answers. Below, asking at once saves two round trips.
 */
const MANY_CLUSTERS = 24;

/**
 * Looks at all clusters at once: two lists each, nodes and peers, and one look at which cluster it is. A cluster that fails is a value in the result, and
 * costs the others nothing; all dead ones together cost one timeout.
 */
export const observeClusters = (targets: readonly ObserveTarget[], options: ObserveOptions): Promise<Observations> =>
    observeEach(targets, (_, found) => found, options);

/** The same, and what was found of each cluster is reduced while others are waited for: objects of hundreds are never in memory together. */
export async function observeEach<T>(
    targets: readonly ObserveTarget[],
    reduce: (cluster: string, found: Observation) => T,
    options: ObserveOptions,
): Promise<Observations<T>> {
    const { requestTimeoutSeconds, listDeadlineSeconds, clock, onProgress } = options;
    const surroundings = options.surroundings ?? thisMachine();
    const atOnce = targets.length < MANY_CLUSTERS;
    const open = (access: ClusterAccess): Promise<KubeClient> =>
        openCluster(access, {
            requestTimeoutSeconds,
            retries: "brief",
            surroundings,
            ...(atOnce ? {} : { connections: 1 }),
            ...(clock === undefined ? {} : { clock }),
            ...(listDeadlineSeconds === undefined ? {} : { listDeadlineSeconds }),
        });
    const { accessOf, kubeconfigs } = secretReader(targets, open, (name) => hasOverride(name, surroundings));
    let done = 0;
    const entries = await Promise.all(
        targets.map(async (target) => {
            const observation = await observe(target, accessOf, open, atOnce).catch(failedObservation);
            onProgress?.({ cluster: target.name, ok: observation.ok, done: ++done, total: targets.length });
            return [target.name, reduce(target.name, observation)] as const;
        }),
    );
    return { clusters: Object.fromEntries(entries), kubeconfigs: Object.fromEntries(sorted(kubeconfigs)) };
}

async function observe(
    { name, nodeSelector }: ObserveTarget,
    accessOf: (name: string) => Promise<ClusterAccess>,
    open: (access: ClusterAccess) => Promise<KubeClient>,
    atOnce: boolean,
): Promise<Observation> {
    const client = await open(await accessOf(name));
    const stop = new AbortController();
    try {
        // All nodes, whatever nodeSelector says: with location granularity a node outside the selection may lead its
        // location, and which granularity a cluster has is only known from its nodes.
        const keepLabels = nodeSelector === undefined ? {} : { keepLabels: Object.keys(nodeSelector) };
        const nodes = client.listNodes({ ...keepLabels, signal: stop.signal });
        const after = async (earlier: Promise<unknown>): Promise<unknown> => (atOnce ? undefined : earlier);
        const peers = after(nodes).then(() => client.listPeers({ signal: stop.signal }));
        const identity = after(peers).then(() => client.clusterUid());
        // When several fail, what is said is always about the nodes, for it ends up in the state.
        peers.catch(() => undefined);
        identity.catch(() => undefined);
        const listed = await nodes;
        return { ok: true, ...listed, peers: await peers, identity: await identity };
    } finally {
        stop.abort();
        await client.close();
    }
}

/** A failure as a value; what is not a failure of a cluster is thrown. */
export function failedObservation(error: unknown): FailedObservation {
    if (!(error instanceof KubeError)) throw error;
    const { kind, message, fix, network, holder } = error;
    return {
        ok: false,
        state: failureState(error),
        kind,
        message,
        fix,
        ...(network === undefined ? {} : { network }),
        ...(holder === undefined ? {} : { holder }),
    };
}

const sorted = (map: ReadonlyMap<string, string>): [string, string][] =>
    [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
