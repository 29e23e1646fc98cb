import type { KubeClient } from "../../provider/kube/client";
import { KubeError, type KubeErrorKind } from "../../provider/kube/errors/kube-error";
import type { LivePeer } from "../../provider/kube/objects";
import type { DryRunOutcome, NewPeer, PeerPatch } from "../../provider/kube/peer-calls";
import type { Host, Reporter } from "../../provider/resources/host";

export interface Fault {
    readonly kind: KubeErrorKind;
    /** The write is done and its answer lost. */
    readonly after?: boolean;
}

/** A cluster's peers in memory, behind the client's own interface: the quickest ground for the rules of writing. */
export class MemoryCluster {
    readonly peers = new Map<string, LivePeer>();
    readonly log: string[] = [];
    /** Called before every call; a fault it returns is thrown. */
    fault: (call: string, name: string) => Fault | undefined = () => undefined;
    /** Called after every change, with all peers of that moment. */
    onChange: (peers: readonly LivePeer[]) => void = () => undefined;
    private uids = 0;

    constructor(readonly name: string) {}

    put(
        name: string,
        labels: Record<string, string>,
        spec: LivePeer["spec"],
        annotations?: Record<string, string>,
    ): LivePeer {
        this.uids += 1;
        const peer: LivePeer = {
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
            clusterUid: async () => undefined,
            listPeers: (options) =>
                this.call("list", options?.labelSelector ?? "", () => {
                    const [key, value] = (options?.labelSelector ?? "").split("=");
                    return [...this.peers.values()].filter((peer) => !key || peer.metadata.labels?.[key] === value);
                }),
            getPeer: (name) => this.call("get", name, () => this.find(name)),
            createPeer: (peer) => this.call("create", peer.name, () => this.create(peer)),
            dryRunPeer: (peer) => this.call("dry-run", peer.name, (): DryRunOutcome => "accepted"),
            patchPeer: (name, patch) => this.call("patch", name, () => this.patch(name, patch)),
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
        return new KubeError({ kind, cluster: this.name, message: `cluster ${this.name}: ${kind}`, fix: "mend it" });
    }

    private find(name: string): LivePeer {
        const peer = this.peers.get(name);
        if (peer === undefined) throw this.error("not-found");
        return peer;
    }

    private create({ name, labels, annotations, spec }: NewPeer): LivePeer {
        if (this.peers.has(name)) throw this.error("already-exists");
        return this.put(name, { ...labels }, spec, annotations ? { ...annotations } : undefined);
    }

    private patch(name: string, { metadata, spec }: PeerPatch): LivePeer {
        const peer = this.find(name);
        if (peer.metadata.uid !== metadata.uid) throw this.error("conflict");
        const patched: LivePeer = {
            metadata: {
                ...peer.metadata,
                labels: merged(peer.metadata.labels, metadata.labels),
                annotations: merged(peer.metadata.annotations, metadata.annotations),
            },
            spec: merged(peer.spec, spec) as LivePeer["spec"],
        };
        this.peers.set(name, patched);
        this.onChange([...this.peers.values()]);
        return patched;
    }

    private delete(name: string, uid: string): "deleted" | "gone" | "not-ours" {
        const peer = this.peers.get(name);
        if (peer === undefined) return "gone";
        if (peer.metadata.uid !== uid) return "not-ours";
        this.peers.delete(name);
        this.onChange([...this.peers.values()]);
        return "deleted";
    }
}

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
        newClaim: () => `claim-${++claims}`,
        env: (name) => env[name],
    };
}
