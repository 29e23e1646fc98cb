import type { KubeNode, PeerEndpoint, PeerSpec } from "../kilo/types";
import type { ClusterAccess } from "./auth/access";
import { type Surroundings, thisMachine } from "./auth/surroundings";
import { DEFAULT_CONCURRENCY } from "./bounded";
import { KubeError } from "./errors/kube-error";
import { confirmMissing } from "./errors/missing-kind";
import type { Call } from "./http/call";
import { type Clock, systemClock } from "./http/clock";
import { briefPatience, writePatience } from "./http/retry";
import { Transport } from "./http/transport";
import { type ListOptions, listAll } from "./list";
import { type LivePeer, nodeReducer, reducePeer } from "./objects";

export interface ClientOptions {
    /** Seconds for connecting and for the first byte of an answer; for small answers until the last byte. Default 10. */
    readonly requestTimeoutSeconds?: number;
    /** Seconds for a whole list with all its pages. Default: six request timeouts, at least a minute. */
    readonly listDeadlineSeconds?: number;
    /** `brief` gives a silent cluster up after one timeout: for observing. Default `persistent`: for writing. */
    readonly patience?: "brief" | "persistent";
    /** Connections kept open. */
    readonly connections?: number;
    readonly clock?: Clock;
    readonly surroundings?: Surroundings;
}

export interface NodeListOptions extends ListOptions {
    /** Labels to keep besides the region: those that a nodeSelector asks for. Default: all. */
    readonly keepLabels?: readonly string[];
}

export interface NewPeer {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly spec: PeerSpec;
}

/** A JSON merge patch: `null` removes. It names the object by uid, so that a stranger of the same name is never hit. */
export interface PeerPatch {
    readonly metadata: {
        readonly uid: string;
        readonly labels?: Readonly<Record<string, string | null>>;
        readonly annotations?: Readonly<Record<string, string | null>>;
    };
    readonly spec?: {
        readonly allowedIPs?: readonly string[];
        readonly publicKey?: string;
        /** The whole endpoint: what it does not name is removed. */
        readonly endpoint?: PeerEndpoint | null;
        readonly persistentKeepalive?: number | null;
        readonly presharedKey?: null;
    };
}

/** The calls we make to one cluster; every failure is a KubeError. */
export interface KubeClient {
    readonly cluster: string;
    listNodes(options?: NodeListOptions): Promise<KubeNode[]>;
    listPeers(options?: ListOptions): Promise<LivePeer[]>;
    getPeer(name: string): Promise<LivePeer>;
    /** `already-exists` may be our own create whose answer was lost: look at the object. */
    createPeer(peer: NewPeer): Promise<LivePeer>;
    /** `conflict` with reason `uid`: the object was replaced by someone else and is untouched. */
    patchPeer(name: string, patch: PeerPatch): Promise<LivePeer>;
    deletePeer(name: string, uid: string): Promise<"deleted" | "gone" | "not-ours">;
    /** Decoded values by key. Secret! */
    getSecret(namespace: string, name: string): Promise<Readonly<Record<string, string>>>;
    close(): Promise<void>;
}

const PEERS = "peers.kilo.squat.ai";
/** Strict: a field that this cluster's CRD does not know is an error instead of being dropped without a word. */
const WRITE = { fieldManager: "pulumi-kilo-clustermesh", fieldValidation: "Strict" } as const;

export async function openCluster(access: ClusterAccess, options: ClientOptions = {}): Promise<KubeClient> {
    const { cluster } = access;
    const clock = options.clock ?? systemClock;
    const requestTimeoutSeconds = options.requestTimeoutSeconds ?? 10;
    const patience = (options.patience === "brief" ? briefPatience : writePatience)(requestTimeoutSeconds);
    const transport = await Transport.open(access, {
        clock,
        patience,
        requestTimeoutSeconds,
        surroundings: options.surroundings ?? thisMachine(),
        connections: options.connections ?? DEFAULT_CONCURRENCY,
    });
    const bounds = {
        cluster,
        clock,
        deadlineSeconds: options.listDeadlineSeconds ?? Math.max(60, requestTimeoutSeconds * 6),
    };
    const sendPeer = async (call: Omit<Call, "resource">): Promise<LivePeer> =>
        reducePeer(await confirmMissing(transport, () => transport.send({ ...call, resource: PEERS })));

    return {
        cluster,
        listNodes: ({ keepLabels, ...list } = {}) => listAll(transport, "nodes", nodeReducer(keepLabels), list, bounds),
        listPeers: (list = {}) => confirmMissing(transport, () => listAll(transport, PEERS, reducePeer, list, bounds)),
        getPeer: (name) => sendPeer({ verb: "get", name }),
        createPeer: (peer) => sendPeer({ verb: "create", subject: peer.name, query: WRITE, body: peerObject(peer) }),
        patchPeer: (name, patch) => sendPeer({ verb: "patch", name, query: WRITE, body: mergePatch(patch) }),
        deletePeer: (name, uid) => deletePeer(transport, name, uid),
        getSecret: async (namespace, name) =>
            decodeSecret(await transport.send({ verb: "get", resource: "secrets", namespace, name })),
        close: () => transport.close(),
    };
}

const peerObject = ({ name, labels, annotations, spec }: NewPeer) => ({
    apiVersion: "kilo.squat.ai/v1alpha1",
    kind: "Peer",
    metadata: { name, labels, ...(annotations ? { annotations } : {}) },
    spec,
});

function mergePatch({ metadata, spec }: PeerPatch): unknown {
    requireUid(metadata.uid);
    if (!spec?.endpoint) return { metadata, ...(spec ? { spec } : {}) };
    const { dnsOrIP, port } = spec.endpoint;
    const endpoint = { dnsOrIP: { dns: dnsOrIP.dns ?? null, ip: dnsOrIP.ip ?? null }, port };
    return { metadata, spec: { ...spec, endpoint } };
}

/** An empty uid would be no condition at all: the server takes it for "any object". */
function requireUid(uid: string): void {
    if (uid === "") throw new TypeError("a peer can only be changed or deleted by its uid");
}

async function deletePeer(transport: Transport, name: string, uid: string): Promise<"deleted" | "gone" | "not-ours"> {
    requireUid(uid);
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid } };
    try {
        await confirmMissing(transport, () => transport.send({ verb: "delete", resource: PEERS, name, body }));
        return "deleted";
    } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        if (error.kind === "not-found" || error.kind === "crd-missing") return "gone";
        if (error.kind !== "conflict") throw error;
        const live = await transport.send({ verb: "get", resource: PEERS, name }).then(reducePeer, goneOrThrow);
        if (live === undefined) return "gone";
        if (live.metadata.uid !== uid) return "not-ours";
        throw error;
    }
}

function goneOrThrow(error: unknown): undefined {
    if (error instanceof KubeError && error.kind === "not-found") return undefined;
    throw error;
}

function decodeSecret(answer: unknown): Record<string, string> {
    const data = (answer as { data?: Record<string, unknown> | null }).data ?? {};
    return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), "base64").toString("utf8")]),
    );
}
