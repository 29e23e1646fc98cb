import { createInterface } from "node:readline";
// gives dispatchers their `request`, which the product does without
import "undici";
import { thisMachine } from "../../provider/kube/auth/surroundings";
import { systemClock } from "../../provider/kube/http/clock";
import { openSession } from "../../provider/kube/http/session";

/** The fields of any answer that tests look at. */
export interface RawObject {
    readonly kind?: string;
    readonly message?: string;
    readonly reason?: string;
    readonly status?: unknown;
    readonly items?: readonly RawObject[];
    readonly resources?: readonly unknown[];
    readonly groups?: readonly { readonly name: string }[];
    readonly spec?: Readonly<Record<string, unknown>>;
    readonly details?: {
        readonly kind?: string;
        readonly uid?: string;
        readonly causes?: readonly { readonly field: string }[];
    };
    readonly metadata?: {
        readonly name?: string;
        readonly uid?: string;
        readonly resourceVersion?: string;
        readonly generation?: number;
        readonly deletionTimestamp?: string;
        readonly finalizers?: readonly string[];
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
        readonly continue?: string;
        readonly remainingItemCount?: number;
    };
}

export interface RawAnswer {
    readonly status: number;
    readonly text: string;
    readonly json: RawObject;
    /** The header. */
    readonly date?: string;
}

/** Requests as they are, without our client's retries, error kinds and reductions. */
export interface RawApi {
    request(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<RawAnswer>;
    /** Opens a watch. What it says is read line by line. */
    watch(path: string): Promise<RawWatch>;
    close(): Promise<void>;
}

export interface RawEvent {
    readonly type: string;
    readonly object: RawObject & { readonly code?: number };
}

export interface RawWatch {
    readonly status: number;
    /** The next event; `undefined` at the end of the stream. */
    next(): Promise<RawEvent | undefined>;
    close(): void;
}

export async function openRawApi(kubeconfig: string): Promise<RawApi> {
    const { dispatcher, credentials } = await openSession(
        { cluster: "raw", kubeconfig },
        { clock: systemClock, connections: 8, requestTimeoutSeconds: 10, surroundings: thisMachine() },
    );
    return {
        async request(method, path, body) {
            const answer = await dispatcher.request({
                origin: credentials.server.origin,
                method,
                path,
                headers: {
                    ...credentials.headers,
                    accept: "application/json",
                    "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
                },
                ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            });
            const text = await answer.body.text();
            return {
                status: answer.statusCode,
                text,
                ...(typeof answer.headers.date === "string" ? { date: answer.headers.date } : {}),
                json: text.startsWith("{") ? (JSON.parse(text) as RawObject) : {},
            };
        },
        async watch(path) {
            const { statusCode, body } = await dispatcher.request({
                origin: credentials.server.origin,
                method: "GET",
                path,
                headers: { ...credentials.headers, accept: "application/json" },
                bodyTimeout: 0,
            });
            // What is left unread when a watch is closed ends with an error that says nothing.
            body.on("error", () => undefined);
            const lines = createInterface({ input: body })[Symbol.asyncIterator]();
            return {
                status: statusCode,
                async next() {
                    const { done, value } = await lines.next();
                    return done ? undefined : (JSON.parse(value) as RawEvent);
                },
                close: () => void body.destroy(),
            };
        },
        close: () => dispatcher.destroy(),
    };
}
