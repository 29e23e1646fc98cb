import { type LivePeer, readPeer } from "../../provider/kilo/peer";
import type { KubePeer } from "../../provider/kilo/types";
import type { KubeClient } from "../../provider/kube/client";
import { KubeError, type KubeErrorKind } from "../../provider/kube/errors/kube-error";
import type { DeleteOutcome, DryRunOutcome, NewPeer, PeerPatch } from "../../provider/kube/peer-calls";
import type { Host, Reporter } from "../../provider/resources/host";
import { parseSelector } from "./double/label-selector";

/** A peer as an API server has it. */
export type StoredPeer = KubePeer & {
    readonly metadata: { readonly name: string; readonly uid: string };
    readonly spec: NonNullable<KubePeer["spec"]>;
};

export interface Fault {
    readonly kind: KubeErrorKind;
    /** The write is done and its answer lost. */
    readonly after?: boolean;
}

/** A cluster's peers in memory, behind the client's own interface: the quickest way to test the rules of writing. */
export class MemoryCluster {
    readonly peers = new Map<string, StoredPeer>();
    readonly log: string[] = [];
    /** Called before every call; a fault it returns is thrown. */
    fault: (call: string, name: string) => Fault | undefined = () => undefined;
    /** Called after every change, with all peers of that moment. */
    onChange: (peers: readonly StoredPeer[]) => void = () => undefined;
    /** Of its namespace kube-system. */
    uid: string | undefined;
    private uids = 0;

    constructor(readonly name: string) {}

    put(
        name: string,
        labels: Record<string, string>,
        spec: StoredPeer["spec"],
        annotations?: Record<string, string>,
    ): StoredPeer {
        this.uids += 1;
        const peer: StoredPeer = {
            metadata: { name, uid: `uid-${this.uids}`, labels, ...(annotations ? { annotations } : {}) },
            spec,
        };
        this.peers.set(name, peer);
        this.onChange([...this.peers.values()]);
        return peer;
    }

    get writes(): string[] {
        return this.log.filter((line) => !line.startsWith("list") && !line.startsWith("get"));
    }

    client(): KubeClient {
        return {
            cluster: this.name,
            listNodes: async () => ({ nodes: [], at: undefined }),
            clusterUid: async () => this.uid,
            listPeers: (options) =>
                this.call("list", options?.labelSelector ?? "", () => {
                    const chosen = parseSelector(options?.labelSelector ?? "");
                    return [...this.peers.values()].filter(({ metadata }) => chosen(metadata.labels)).map(live);
                }),
            getPeer: (name) => this.call("get", name, () => live(this.find(name))),
            createPeer: (peer) => this.call("create", peer.name, () => live(this.create(peer))),
            dryRunPeer: (peer) => this.call("dry-run", peer.name, (): DryRunOutcome => "accepted"),
            patchPeer: (name, patch) => this.call("patch", name, () => live(this.patch(name, patch))),
            deletePeer: (name, uid) => this.call("delete", name, () => this.delete(name, uid)),
            getSecret: async () => ({}),
            close: async () => undefined,
        };
    }

    private async call<T>(verb: string, name: string, work: () => T): Promise<T> {
        this.log.push(`${verb} ${name}`.trim());
        const fault = this.fault(verb, name);
        if (fault !== undefined && !fault.after) throw this.error(fault.kind);
        // Let concurrent calls interleave as they do on a network.
        await new Promise((resolve) => setImmediate(resolve));
        const result = work();
        if (fault !== undefined) throw this.error(fault.kind);
        return result;
    }

    private error(kind: KubeErrorKind): KubeError {
        return new KubeError({
            kind,
            cluster: this.name,
            message: `cluster ${this.name}: ${kind}`,
            fix: "Fix it",
            ...(kind === "unreachable" ? { network: "timeout" as const } : {}),
            ...(kind === "server" ? { status: 500 } : {}),
        });
    }

    private find(name: string): StoredPeer {
        const peer = this.peers.get(name);
        if (peer === undefined) throw this.error("not-found");
        return peer;
    }

    private create({ name, labels, annotations, spec }: NewPeer): StoredPeer {
        if (this.peers.has(name)) throw this.error("already-exists");
        return this.put(name, { ...labels }, spec, annotations ? { ...annotations } : undefined);
    }

    private patch(name: string, { metadata, spec }: PeerPatch): StoredPeer {
        const peer = this.find(name);
        if (peer.metadata.uid !== metadata.uid) throw this.error("conflict");
        const patched: StoredPeer = {
            metadata: {
                ...peer.metadata,
                labels: merged(peer.metadata.labels, metadata.labels),
                annotations: merged(peer.metadata.annotations, metadata.annotations),
            },
            spec: merged(peer.spec, spec) as StoredPeer["spec"],
        };
        this.peers.set(name, patched);
        this.onChange([...this.peers.values()]);
        return patched;
    }

    private delete(name: string, uid: string): DeleteOutcome {
        const peer = this.peers.get(name);
        if (peer === undefined) return "gone";
        if (peer.metadata.uid !== uid) return "not-ours";
        const { finalizers = [] } = peer.metadata;
        if (finalizers.length > 0) {
            const metadata = { ...peer.metadata, deletionTimestamp: "2026-01-02T03:04:05Z" };
            this.peers.set(name, { ...peer, metadata });
            return { terminating: finalizers };
        }
        this.peers.delete(name);
        this.onChange([...this.peers.values()]);
        return "deleted";
    }
}

const live = (peer: StoredPeer): LivePeer => readPeer(peer)!;

function merged<T extends object>(base: T | undefined, patch: object | undefined): T {
    const entries = Object.entries({ ...base, ...patch }).filter(([, value]) => value !== null);
    return Object.fromEntries(entries) as T;
}

export interface TestHost extends Host {
    readonly warnings: string[];
}

/** A host whose clusters are in memory. */
export function memoryHost(clusters: readonly MemoryCluster[], env: Record<string, string> = {}): TestHost {
    const warnings: string[] = [];
    const reporter: Reporter = { warn: (message) => warnings.push(message), progress: () => undefined };
    let claims = 0;
    return {
        warnings,
        connect: async ({ cluster }) => clusters.find(({ name }) => name === cluster)!.client(),
        reporter: () => reporter,
        now: () => new Date("2026-01-02T03:04:05Z"),
        newId: () => `claim-${++claims}`,
        env: (name) => env[name],
    };
}
