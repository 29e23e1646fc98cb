import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { mergePatch } from "./merge-patch";
import { checkPeer } from "./peer-schema";
import { alreadyExists, badRequest, type Cause, conflict, invalid, notFound } from "./status";

/** A stored Peer; never changed in place, so that pages and event logs can hold on to it. */
export interface StoredPeer {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: {
        readonly name: string;
        readonly uid: string;
        readonly resourceVersion: string;
        readonly generation: number;
        readonly creationTimestamp: string;
        /** It was deleted and waits for its finalizers. */
        readonly deletionTimestamp?: string;
        readonly finalizers?: readonly string[];
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec: {
        readonly allowedIPs: readonly string[];
        readonly publicKey: string;
        readonly presharedKey?: string;
        readonly persistentKeepalive?: number;
        readonly endpoint?: {
            readonly dnsOrIP: { readonly dns?: string; readonly ip?: string };
            readonly port: number;
        };
    };
}

export interface PeerEvent {
    readonly type: "ADDED" | "MODIFIED" | "DELETED";
    readonly object: StoredPeer;
}

type Body = Readonly<Record<string, unknown>>;

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const API_VERSION = "kilo.squat.ai/v1alpha1";

/** The Peers of one cluster, with the rules of a real API server for them. */
export class PeerStore {
    readonly #peers = new Map<string, StoredPeer>();
    readonly #listeners: ((event: PeerEvent) => void)[] = [];
    readonly #nextVersion: () => string;

    constructor(nextVersion: () => string) {
        this.#nextVersion = nextVersion;
    }

    /** Called with every write, at the moment it takes effect. */
    onEvent(listener: (event: PeerEvent) => void): void {
        this.#listeners.push(listener);
    }

    all(): StoredPeer[] {
        return [...this.#peers.values()];
    }

    get(name: string): StoredPeer {
        const peer = this.#peers.get(name);
        if (peer === undefined) throw notFound(name);
        return peer;
    }

    create(body: Body, strict: boolean, dryRun = false): StoredPeer {
        const metadata = metadataOf(body);
        const name = typeof metadata.name === "string" ? metadata.name : "";
        if (body.apiVersion !== API_VERSION || body.kind !== "Peer") {
            throw badRequest(`the object provided is unrecognized (must be of type Peer in ${API_VERSION})`);
        }
        const spec = validSpec(name, body, strict);
        if (!SUBDOMAIN.test(name) || name.length > 253) {
            const message = `Invalid value: "${name}": a lowercase RFC 1123 subdomain must be used`;
            throw invalid(name, [{ reason: "FieldValueInvalid", field: "metadata.name", message }]);
        }
        if (this.#peers.has(name)) throw alreadyExists(name);
        const created: StoredPeer = {
            apiVersion: API_VERSION,
            kind: "Peer",
            metadata: {
                name,
                uid: randomUUID(),
                resourceVersion: this.#nextVersion(),
                generation: 1,
                creationTimestamp: timestamp(),
                ...stringMaps(metadata),
                ...finalizersOf(metadata),
            },
            spec,
        };
        return dryRun ? created : this.#store("ADDED", created);
    }

    /** A peer of a real server, as it was there, under its own uid. */
    restore(peer: StoredPeer): void {
        this.#store("ADDED", { ...peer, metadata: { ...peer.metadata, resourceVersion: this.#nextVersion() } });
    }

    patch(name: string, patch: unknown, strict: boolean): StoredPeer {
        const old = this.get(name);
        const merged = mergePatch(old, patch) as Body;
        const metadata = metadataOf(merged);
        // The server checks the version first, then the schema, then what may not change. An empty uid is no condition.
        if (metadata.resourceVersion !== old.metadata.resourceVersion && metadata.resourceVersion !== undefined) {
            throw conflict(
                name,
                "the object has been modified; please apply your changes to the latest version and try again",
            );
        }
        const causes: Cause[] = [];
        if (metadata.uid !== old.metadata.uid && metadata.uid !== "" && metadata.uid !== undefined) {
            const message = `Invalid value: "${metadata.uid}": field is immutable`;
            causes.push({ reason: "FieldValueInvalid", field: "metadata.uid", message });
        }
        const spec = validSpec(name, merged, strict, causes);
        const free = { ...stringMaps(metadata), ...finalizersOf(metadata) };
        const sameSpec = isDeepStrictEqual(spec, old.spec);
        const sameFree = isDeepStrictEqual(free, { ...stringMaps(old.metadata), ...finalizersOf(old.metadata) });
        if (sameSpec && sameFree) return old;
        const { uid, generation, creationTimestamp, deletionTimestamp } = old.metadata;
        const changed: StoredPeer = {
            apiVersion: API_VERSION,
            kind: "Peer",
            metadata: {
                name,
                uid,
                creationTimestamp,
                ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
                resourceVersion: this.#nextVersion(),
                generation: sameSpec ? generation : generation + 1,
                ...free,
            },
            spec,
        };
        // The last finalizer that goes lets a deleted object go.
        const isOver = deletionTimestamp !== undefined && free.finalizers === undefined;
        return isOver ? this.#remove(changed) : this.#store("MODIFIED", changed);
    }

    delete(name: string, preconditions: { readonly uid?: unknown } = {}): StoredPeer {
        const old = this.get(name);
        const { uid } = preconditions;
        if (uid !== undefined && uid !== old.metadata.uid) {
            throw conflict(
                name,
                `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid})`,
            );
        }
        if (old.metadata.deletionTimestamp !== undefined) return old;
        if (old.metadata.finalizers === undefined) return this.#remove(old);
        const generation = old.metadata.generation + 1;
        const metadata = { ...old.metadata, generation, deletionTimestamp: timestamp() };
        return this.#store("MODIFIED", { ...old, metadata: { ...metadata, resourceVersion: this.#nextVersion() } });
    }

    #remove(peer: StoredPeer): StoredPeer {
        this.#peers.delete(peer.metadata.name);
        const metadata = { ...peer.metadata, resourceVersion: this.#nextVersion() };
        for (const listener of this.#listeners) listener({ type: "DELETED", object: { ...peer, metadata } });
        return peer;
    }

    #store(type: PeerEvent["type"], object: StoredPeer): StoredPeer {
        this.#peers.set(object.metadata.name, object);
        for (const listener of this.#listeners) listener({ type, object });
        return object;
    }
}

function validSpec(name: string, body: Body, strict: boolean, earlier: readonly Cause[] = []): StoredPeer["spec"] {
    const { value, causes, unknown } = checkPeer(body);
    if (strict && unknown.length > 0) {
        const what = unknown.map((field) => `unknown field "${field}"`).join(", ");
        throw badRequest(`Peer in version "v1alpha1" cannot be handled as a Peer: strict decoding error: ${what}`);
    }
    const all = [...earlier, ...causes];
    if (all.length > 0) throw invalid(name, all);
    return (value as StoredPeer).spec;
}

const metadataOf = (body: Body): Record<string, unknown> =>
    typeof body.metadata === "object" && body.metadata !== null ? (body.metadata as Record<string, unknown>) : {};

const timestamp = (): string => new Date().toISOString().replace(/\.\d+Z$/, "Z");

type StringMap = Readonly<Record<string, string>>;

/** Empty maps are not stored. */
function stringMaps({ labels, annotations }: Readonly<Record<string, unknown>>) {
    const filled = (map: unknown): map is StringMap =>
        typeof map === "object" && map !== null && Object.keys(map).length > 0;
    return { ...(filled(labels) ? { labels } : {}), ...(filled(annotations) ? { annotations } : {}) };
}

/** An empty list is not stored. */
const finalizersOf = ({ finalizers }: Readonly<Record<string, unknown>>): { finalizers?: readonly string[] } =>
    Array.isArray(finalizers) && finalizers.length > 0 ? { finalizers } : {};
