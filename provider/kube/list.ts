import { KubeError } from "./errors/kube-error";
import { type Call, describeCall } from "./http/call";
import type { Clock } from "./http/clock";
import { AnswerTooLarge } from "./http/exchange";
import type { Transport } from "./http/transport";

export interface ListOptions {
    readonly labelSelector?: string;
    readonly signal?: AbortSignal;
}

export interface ListBounds {
    readonly cluster: string;
    readonly clock: Clock;
    /** For all pages together. */
    readonly deadlineSeconds: number;
}

export interface Listed<T> {
    readonly items: T[];
    /** The server's clock at the last page, in milliseconds since the epoch; undefined where it does not tell. */
    readonly at: number | undefined;
    /** Where a watch goes on from; empty where the server does not tell. */
    readonly version: string;
}

interface Page {
    readonly items: readonly unknown[];
    readonly version: string;
    readonly next: string | undefined;
}

const PAGE = 500;
const MAX_PAGE_BYTES = 64 << 20;
const MAX_ITEMS = 100_000;
const MAX_RESTARTS = 3;

/**
 * All objects of a collection, page by page, each reduced as soon as its page is parsed: the full objects of a large
 * cluster are never in memory together. No resourceVersion is asked for: with 0 an API server may answer from a cache
 * of any age, without one the first page is the newest state, and a continue token holds the later ones to it.
 */
export async function listAll<T>(
    transport: Transport,
    resource: Call["resource"],
    reduce: (item: unknown) => T,
    { labelSelector, signal }: ListOptions,
    { cluster, clock, deadlineSeconds }: ListBounds,
): Promise<Listed<T>> {
    const deadline = clock.now() + deadlineSeconds * 1000;
    let items: T[] = [];
    let limit = PAGE;
    let restarts = 0;
    let next: string | undefined;
    for (;;) {
        const query = {
            limit: String(limit),
            ...(labelSelector ? { labelSelector } : {}),
            ...(next === undefined ? {} : { continue: next }),
        };
        const call: Call = { verb: "list", resource, query };
        try {
            const { body, at } = await transport.ask(call, { signal, deadline, maxBytes: MAX_PAGE_BYTES });
            const page = readPage(cluster, call, body);
            for (const item of page.items) items.push(reduce(item));
            if (page.next === undefined) return { items, at, version: page.version };
            if (page.items.length === 0 || items.length > MAX_ITEMS) {
                throw wrongList(cluster, call, `the list does not end (${items.length} objects so far)`);
            }
            next = page.next;
        } catch (error) {
            if (error instanceof AnswerTooLarge) {
                if (limit === 1) throw wrongList(cluster, call, "an object is larger than an API server allows");
                limit = Math.max(1, Math.floor(limit / 8));
            } else if (isExpired(error) && next !== undefined && restarts++ < MAX_RESTARTS) {
                // The snapshot the pages come from was compacted away. A list is whole or it is nothing: start again.
                items = [];
                next = undefined;
            } else throw error;
        }
    }
}

const isExpired = (error: unknown): boolean => error instanceof KubeError && error.status === 410;

/** Anything but a list is an error: taken for an empty cluster it would cost every peer. */
function readPage(cluster: string, call: Call, answer: unknown): Page {
    const { kind, items, metadata } = (answer ?? {}) as { kind?: unknown; items?: unknown; metadata?: unknown };
    if (typeof kind !== "string" || !kind.endsWith("List") || !(Array.isArray(items) || items === null)) {
        throw wrongList(cluster, call, "the answer is not a list of the Kubernetes API");
    }
    const { continue: token, resourceVersion } = (metadata ?? {}) as { continue?: unknown; resourceVersion?: unknown };
    return {
        items: items ?? [],
        version: typeof resourceVersion === "string" ? resourceVersion : "",
        next: typeof token === "string" && token !== "" ? token : undefined,
    };
}

const wrongList = (cluster: string, call: Call, what: string): KubeError =>
    new KubeError({
        kind: "server",
        cluster,
        message: `cluster ${cluster}: could not ${describeCall(call)}: ${what}`,
        fix: "Check that the server in the kubeconfig is the Kubernetes API server and not something in front of it",
    });
