import type { KubeNode } from "../kilo/types";
import type { ClusterAccess } from "./auth/access";
import { type Surroundings, thisMachine } from "./auth/surroundings";
import { DEFAULT_CONCURRENCY } from "./bounded";
import { KubeError } from "./errors/kube-error";
import { type Clock, systemClock } from "./http/clock";
import { briefRetries, persistentRetries } from "./http/retry";
import { Transport } from "./http/transport";
import { type ListBounds, type ListOptions, listAll } from "./list";
import { nodeReducer } from "./objects";
import { type PeerCalls, peerCalls } from "./peer-calls";

export interface ClientOptions {
    /** Seconds for connecting and for the first byte of an answer; for small answers until the last byte. Default 10. */
    readonly requestTimeoutSeconds?: number;
    /** Seconds for a whole list with all its pages. Default: six request timeouts, at least a minute. */
    readonly listDeadlineSeconds?: number;
    /** `brief` gives a silent cluster up after one timeout: for observing. Default `persistent`: for writing. */
    readonly retries?: "brief" | "persistent";
    /** Connections kept open. */
    readonly connections?: number;
    readonly clock?: Clock;
    readonly surroundings?: Surroundings;
}

export interface NodeListOptions extends ListOptions {
    /** Labels to keep besides the region: those that a nodeSelector asks for. Default: all. */
    readonly keepLabels?: readonly string[];
}

export interface NodeList {
    readonly nodes: KubeNode[];
    /** The server's clock when it answered, in unix seconds; undefined where it does not tell. */
    readonly at: number | undefined;
}

/** The calls we make to one cluster; every failure is a KubeError. */
export interface KubeClient extends PeerCalls {
    readonly cluster: string;
    listNodes(options?: NodeListOptions): Promise<NodeList>;
    /** Identifies the cluster for its whole life: the uid of its namespace kube-system. Undefined where it is not told. */
    clusterUid(): Promise<string | undefined>;
    /** Decoded values by key. Secret! */
    getSecret(namespace: string, name: string): Promise<Readonly<Record<string, string>>>;
    close(): Promise<void>;
}

/** The connections to one cluster, and how long a list may take there. */
export async function openTransport(
    access: ClusterAccess,
    options: ClientOptions,
): Promise<{ readonly transport: Transport; readonly bounds: ListBounds }> {
    const clock = options.clock ?? systemClock;
    const requestTimeoutSeconds = options.requestTimeoutSeconds ?? 10;
    const retries = (options.retries === "brief" ? briefRetries : persistentRetries)(requestTimeoutSeconds);
    const transport = await Transport.open(access, {
        clock,
        retries,
        requestTimeoutSeconds,
        surroundings: options.surroundings ?? thisMachine(),
        connections: options.connections ?? DEFAULT_CONCURRENCY,
    });
    const deadlineSeconds = options.listDeadlineSeconds ?? Math.max(60, requestTimeoutSeconds * 6);
    return { transport, bounds: { cluster: access.cluster, clock, deadlineSeconds } };
}

export async function openCluster(access: ClusterAccess, options: ClientOptions = {}): Promise<KubeClient> {
    const { transport, bounds } = await openTransport(access, options);
    return {
        cluster: access.cluster,
        ...peerCalls(transport, bounds),
        listNodes: async ({ keepLabels, ...list } = {}) => {
            const { items, at } = await listAll(transport, "nodes", nodeReducer(keepLabels), list, bounds);
            return { nodes: items, at: at === undefined ? undefined : Math.floor(at / 1000) };
        },
        clusterUid: () => clusterUid(transport),
        getSecret: async (namespace, name) =>
            decodeSecret(await transport.send({ verb: "get", resource: "secrets", namespace, name })),
        close: () => transport.close(),
    };
}

export async function clusterUid(transport: Transport): Promise<string | undefined> {
    try {
        const answer = await transport.send({ verb: "get", resource: "namespaces", name: "kube-system" });
        const uid = (answer as { metadata?: { uid?: unknown } } | null)?.metadata?.uid;
        return typeof uid === "string" && UID.test(uid) ? uid : undefined;
    } catch (error) {
        if (error instanceof KubeError && (error.kind === "forbidden" || error.kind === "not-found")) return undefined;
        throw error;
    }
}

/** It is recorded and shown: nothing else is taken for one. */
const UID = /^[\w-]{1,64}$/;

function decodeSecret(answer: unknown): Record<string, string> {
    const data = (answer as { data?: Record<string, unknown> | null }).data ?? {};
    return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), "base64").toString("utf8")]),
    );
}
