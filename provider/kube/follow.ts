import { KubeError } from "./errors/kube-error";
import type { Call } from "./http/call";
import type { Transport } from "./http/transport";
import { type ListBounds, listAll } from "./list";
import type { Turns } from "./turns";

/** What is heard of a collection, from the first list on. */
export type Followed<T> =
    /** All there is now; what was known before counts no more. */
    | { readonly kind: "listed"; readonly items: readonly T[]; readonly at: number | undefined }
    | { readonly kind: "put"; readonly item: T }
    | { readonly kind: "gone"; readonly item: T }
    /** Nothing changed, but the server is there; its clock in milliseconds since the epoch, where it tells. */
    | { readonly kind: "alive"; readonly at?: number | undefined }
    /** The account may list and not watch: it is listed again from time to time. */
    | { readonly kind: "unwatchable"; readonly error: KubeError };

export interface FollowOptions<T> {
    readonly resource: Call["resource"];
    /** What to keep of an object; a new one for every list and every event. */
    readonly reducer: () => (item: unknown) => T;
    readonly signal: AbortSignal;
    readonly onEvent: (event: Followed<T>) => void;
    readonly timing?: Partial<FollowTiming>;
    /** Shared by all who list: the answers of hundreds of clusters at once would take memory that is never given back. */
    readonly turns?: Turns;
}

export interface FollowTiming {
    /** API servers send a bookmark about every minute: a stream that says nothing for so long is dead. */
    readonly silenceSeconds: number;
    /** After this and up to half as much more the server ends the stream, and it is opened again where it ended. */
    readonly streamSeconds: number;
    /** Between two lists where the account may not watch. */
    readonly pollSeconds: number;
    /** Between two streams that end, or versions that expire, at once. */
    readonly pauseSeconds: number;
}

const TIMING: FollowTiming = { silenceSeconds: 150, streamSeconds: 240, pollSeconds: 30, pauseSeconds: 1 };

/**
 * Lists a collection and hears of every change, until it is aborted or fails. A stream that ends goes on where it ended; a
 * version that the server has forgotten (410) is listed again. Every other failure is thrown: the caller begins again.
 */
export async function follow<T>(
    transport: Transport,
    bounds: ListBounds,
    { resource, reducer, signal, onEvent, timing, turns = (work) => work() }: FollowOptions<T>,
): Promise<never> {
    const { silenceSeconds, streamSeconds, pollSeconds, pauseSeconds } = { ...TIMING, ...timing };
    const { clock } = bounds;
    const pause = async (seconds: number): Promise<void> => {
        await clock.sleep(seconds * 1000 * (0.5 + clock.random()), signal);
        signal.throwIfAborted();
    };
    for (;;) {
        const listed = await turns(() => listAll(transport, resource, reducer(), { signal }, bounds));
        onEvent({ kind: "listed", items: listed.items, at: listed.at });
        let version: string | undefined = listed.version;
        while (version !== undefined) {
            const began = clock.now();
            try {
                version = await watchFrom(version);
            } catch (error) {
                if (!(error instanceof KubeError) || error.kind !== "forbidden") throw error;
                onEvent({ kind: "unwatchable", error });
                await pause(pollSeconds);
                version = undefined;
            }
            if (clock.now() - began < pauseSeconds * 1000) await pause(pauseSeconds);
        }
    }

    /** The version to go on from, once the server has ended the stream; undefined where it has forgotten this one. */
    async function watchFrom(version: string): Promise<string | undefined> {
        let latest: string | undefined = version;
        const seconds = Math.round(streamSeconds * (1 + clock.random() / 2));
        const query = {
            watch: "1",
            allowWatchBookmarks: "true",
            resourceVersion: version,
            timeoutSeconds: String(seconds),
        };
        const stop = new AbortController();
        await transport
            .stream(
                { verb: "watch", resource, query },
                {
                    signal: AbortSignal.any([signal, stop.signal]),
                    silenceSeconds,
                    onHead: (at) => onEvent({ kind: "alive", at }),
                    onLine: (line) => {
                        const event = readEvent(bounds.cluster, resource, line);
                        if (event.type === "ERROR") {
                            stop.abort(failed(bounds.cluster, resource, event.object));
                            return;
                        }
                        latest = versionOf(event.object) ?? latest;
                        if (event.type === "BOOKMARK") onEvent({ kind: "alive" });
                        else
                            onEvent({
                                kind: event.type === "DELETED" ? "gone" : "put",
                                item: reducer()(event.object),
                            });
                    },
                },
            )
            .catch((error: unknown) => {
                if (!(error instanceof KubeError) || error.status !== 410) throw error;
                latest = undefined;
            });
        return latest;
    }
}

interface WatchEvent {
    readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
    readonly object: unknown;
}

const TYPES: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

function readEvent(cluster: string, resource: string, line: string): WatchEvent {
    try {
        const event = JSON.parse(line) as { type?: unknown; object?: unknown };
        if (TYPES.has(event.type) && typeof event.object === "object" && event.object !== null) {
            return event as WatchEvent;
        }
    } catch {
        // what is not JSON is told below, without a word of it
    }
    throw new KubeError({
        kind: "server",
        cluster,
        message: `cluster ${cluster}: could not watch ${resource}: a line is not an event of the Kubernetes API`,
        fix: "Check that the server in the kubeconfig is the Kubernetes API server and not something in front of it",
        status: 502,
    });
}

const versionOf = (object: unknown): string | undefined => {
    const { resourceVersion } = (object as { metadata?: { resourceVersion?: unknown } }).metadata ?? {};
    return typeof resourceVersion === "string" && resourceVersion !== "" ? resourceVersion : undefined;
};

/** An event of type ERROR has a Status: its code says whether the version was forgotten (410). */
function failed(cluster: string, resource: string, object: unknown): KubeError {
    const { code } = object as { code?: unknown };
    const status = typeof code === "number" ? code : 500;
    return new KubeError({
        kind: "server",
        cluster,
        message: `cluster ${cluster}: the watch of ${resource} was ended by the server (${status})`,
        fix: "Do nothing: the watcher lists it again",
        status,
    });
}
