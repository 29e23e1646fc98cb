import type { LivePeer } from "../../provider/kilo/peer";
import { type KubeClient, openCluster } from "../../provider/kube/client";
import { KubeError } from "../../provider/kube/errors/kube-error";
import type { DeleteOutcome } from "../../provider/kube/peer-calls";
import type { ClusterSpec } from "../../provider/mesh/types";
import { type Observation, type ObserveProgress, observeClusters } from "../../provider/observe/observe-clusters";
import { observeTarget } from "../../provider/observe/observe-target";

export interface ReachOptions {
    readonly timeoutSeconds: number;
    readonly onProgress: (progress: ObserveProgress) => void;
}

/** What was found in all clusters, and the two calls that `sweep` makes afterwards. Each throws a KubeError. */
export interface Reached {
    readonly clusters: Readonly<Record<string, Observation>>;
    /** As it is now; undefined where it is gone. */
    getPeer(cluster: string, name: string): Promise<LivePeer | undefined>;
    deletePeer(cluster: string, name: string, uid: string): Promise<DeleteOutcome>;
    close(): Promise<void>;
}

export type Reach = (clusters: readonly ClusterSpec[], options: ReachOptions) => Promise<Reached>;

/** Kubeconfigs that were read from Secrets stay in here. */
export const reach: Reach = async (clusters, { timeoutSeconds, onProgress }) => {
    const targets = clusters.map(observeTarget);
    const found = await observeClusters(targets, { requestTimeoutSeconds: timeoutSeconds, onProgress });
    const clients = new Map<string, Promise<KubeClient>>();
    const client = (name: string): Promise<KubeClient> => {
        const open = clients.get(name) ?? openCluster(accessOf(name), { requestTimeoutSeconds: timeoutSeconds });
        clients.set(name, open);
        return open;
    };
    const accessOf = (name: string) => {
        const { access } = targets.find((target) => target.name === name)!;
        const kubeconfig = found.kubeconfigs[name];
        return kubeconfig === undefined ? access : { ...access, kubeconfig };
    };
    return {
        clusters: found.clusters,
        getPeer: async (cluster, name) => (await client(cluster)).getPeer(name).catch(undefinedIfGone),
        deletePeer: async (cluster, name, uid) => (await client(cluster)).deletePeer(name, uid),
        close: async () => {
            for (const open of clients.values()) await (await open.catch(() => undefined))?.close();
        },
    };
};

function undefinedIfGone(error: unknown): undefined {
    if (error instanceof KubeError && error.kind === "not-found") return undefined;
    throw error;
}
