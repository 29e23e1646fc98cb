import { type LivePeer, readPeer } from "../kilo/peer";
import type { PeerEndpoint, PeerSpec } from "../kilo/types";
import { KubeError } from "./errors/kube-error";
import { confirmMissing } from "./errors/missing-kind";
import type { Call } from "./http/call";
import type { Transport } from "./http/transport";
import { type ListBounds, type ListOptions, listAll } from "./list";

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

/**
 * `gone`: it was not there. `not-ours`: another object has the name and is untouched. `terminating`: it is still there
 * and counts, until those who put these finalizers on it take them away.
 */
export type DeleteOutcome = "deleted" | "gone" | "not-ours" | { readonly terminating: readonly string[] };

/** `unsupported`: a webhook of the cluster cannot be asked without effect, so nothing was tried. */
export type DryRunOutcome = "accepted" | "unsupported";

export interface PeerCalls {
    listPeers(options?: ListOptions): Promise<LivePeer[]>;
    getPeer(name: string): Promise<LivePeer>;
    /** `already-exists` may be our own create whose answer was lost: look at the object. */
    createPeer(peer: NewPeer): Promise<LivePeer>;
    /**
     * Whether the cluster would take this object, now or once its name is free: schema and webhooks are asked, nothing
     * is written. What is refused is thrown as a create would.
     */
    dryRunPeer(peer: NewPeer): Promise<DryRunOutcome>;
    /** `conflict` with reason `uid`: the object was replaced by someone else and is untouched. */
    patchPeer(name: string, patch: PeerPatch): Promise<LivePeer>;
    deletePeer(name: string, uid: string): Promise<DeleteOutcome>;
}

const PEERS = "peers.kilo.squat.ai";
/** Strict: a field that this cluster's CRD does not know is an error instead of being dropped without a word. */
const WRITE = { fieldManager: "pulumi-kilo-clustermesh", fieldValidation: "Strict" } as const;

export function peerCalls(transport: Transport, bounds: ListBounds): PeerCalls {
    const send = async (call: Omit<Call, "resource">): Promise<unknown> =>
        confirmMissing(transport, () => transport.send({ ...call, resource: PEERS }));
    const create = (peer: NewPeer, query: Call["query"] = {}): Promise<unknown> =>
        send({ verb: "create", subject: peer.name, query: { ...WRITE, ...query }, body: peerObject(peer) });
    const getPeer = async (name: string): Promise<LivePeer> => peerIn(await send({ verb: "get", name }));

    return {
        getPeer,
        listPeers: async (list = {}) =>
            (await confirmMissing(transport, () => listAll(transport, PEERS, peerIn, list, bounds))).items,
        createPeer: async (peer) => peerIn(await create(peer)),
        dryRunPeer: (peer) => create(peer, { dryRun: "All" }).then(() => "accepted" as const, dryRunOutcome),
        patchPeer: async (name, patch) =>
            peerIn(await send({ verb: "patch", name, query: WRITE, body: mergePatch(patch) })),
        deletePeer: (name, uid) => deletePeer(send, getPeer, name, uid),
    };
}

/** Every object of an API server has a name; one that has not reads as a peer that is nobody's. */
export const peerIn = (object: unknown): LivePeer => readPeer(object) ?? NAMELESS;

const NAMELESS: LivePeer = {
    name: "",
    uid: "",
    labels: {},
    annotations: {},
    spec: { allowedIPs: [], publicKey: "" },
    unexpected: ["metadata"],
};

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

/** Whether a name is free is the last thing a server looks at, after schema and webhooks. */
function dryRunOutcome(error: unknown): DryRunOutcome {
    if (error instanceof KubeError && error.kind === "already-exists") return "accepted";
    if (error instanceof KubeError && error.reason === "dry-run") return "unsupported";
    throw error;
}

async function deletePeer(
    send: (call: Omit<Call, "resource">) => Promise<unknown>,
    getPeer: (name: string) => Promise<LivePeer>,
    name: string,
    uid: string,
): Promise<DeleteOutcome> {
    requireUid(uid);
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid } };
    const look = (): Promise<LivePeer | undefined> => getPeer(name).catch(undefinedIfGone);
    try {
        const answer = await send({ verb: "delete", name, body });
        // A Status says that it is gone; an object, that it waits for finalizers, which may be done by now.
        if ((answer as { kind?: unknown } | null)?.kind === "Status") return "deleted";
        const live = await look();
        return live?.uid === uid ? { terminating: live.finalizers ?? [] } : "deleted";
    } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        if (isGone(error)) return "gone";
        if (error.kind !== "conflict") throw error;
        const live = await look();
        if (live === undefined) return "gone";
        if (live.uid !== uid) return "not-ours";
        throw error;
    }
}

const isGone = (error: unknown): boolean =>
    error instanceof KubeError && (error.kind === "not-found" || error.kind === "crd-missing");

function undefinedIfGone(error: unknown): undefined {
    if (isGone(error)) return undefined;
    throw error;
}
