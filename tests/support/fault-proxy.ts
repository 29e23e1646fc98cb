import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { type Dispatcher, Pool } from "undici";
import { parse } from "yaml";
import { close, listen } from "./api-double";
import { Connections } from "./connections";
import { holdPort } from "./held-port";
import { passStream, type StreamFault } from "./stream-faults";

/** What the proxy may do instead of passing a request through. */
export type Fault =
    /** Cuts the connection; the API server never sees the request. */
    | { readonly kind: "reset" }
    /** Passes it on after a while. */
    | { readonly kind: "delay"; readonly milliseconds: number }
    /** Never answers; the API server never sees the request. */
    | { readonly kind: "hang" }
    /** Sends the head and half of the body of the real answer, then cuts the connection. */
    | { readonly kind: "cut" }
    /** Sends the head and half of the body, then nothing more. */
    | { readonly kind: "hang-body" }
    | StreamFault
    /** Passes it on once this has happened. */
    | { readonly kind: "hold"; readonly until: Promise<unknown> }
    | { readonly kind: "answer"; readonly status: number; readonly retryAfter?: string; readonly body?: unknown }
    /** For a GET: the oldest answer recorded for the same address, if there is one. */
    | { readonly kind: "stale" }
    /** The API server does what was asked; the answer is lost, and `done` called. */
    | { readonly kind: "drop"; readonly done?: () => void };

export interface LoggedRequest {
    /** Counted from 1 since the start, or since `resetLog`. */
    readonly index: number;
    readonly method: string;
    readonly path: string;
    readonly labelSelector?: string;
    readonly write: boolean;
    readonly watch?: true;
    readonly fault?: Fault["kind"];
    /** Of the answer that was sent; absent while there is none. */
    status?: number;
}

export interface Rule {
    readonly fault: Fault;
    /** Default: every request. */
    readonly when?: (request: LoggedRequest) => boolean;
    /** How often it strikes; default: always. */
    readonly times?: number;
}

/** Stands between us and an API server: counts, logs, and does what networks and servers do on bad days. */
export interface FaultProxy {
    readonly url: string;
    /** The given kubeconfig, pointed at this proxy. Plain HTTP on loopback, the credentials pass through. */
    readonly kubeconfig: string;
    readonly requests: readonly LoggedRequest[];
    resetLog(): void;
    /** Returns a function that takes the rule back. The first rule that matches wins. */
    inject(rule: Rule): () => void;
    /** The k-th request from now on. */
    atRequest(k: number, fault: Fault): () => void;
    clear(): void;
    /** Resolves when nobody is connected: whatever processes that have ended had sent has met its rule by then. */
    abandoned(): Promise<void>;
    /** How many connections were ever made. */
    connectionsMade(): number;
    /** Nothing is answered any more, on old and new connections, until `false`. */
    blackHole(on: boolean): void;
    /** Nobody listens any more (connection refused), and again on the same port. */
    down(): Promise<void>;
    up(): Promise<void>;
    close(): Promise<void>;
}

export interface FaultProxyOptions {
    readonly kubeconfig: string;
    /** Keep the first answer to each GET, for `stale`. Default false: costs memory. */
    readonly record?: boolean;
}

interface Recorded {
    readonly status: number;
    readonly headers: Record<string, string | string[]>;
    readonly body: Buffer;
}

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
    const { upstream, redirect } = readUpstream(options.kubeconfig);
    const rules: { readonly rule: Rule; left: number }[] = [];
    const recorded = new Map<string, Recorded>();
    let requests: LoggedRequest[] = [];
    let seen = 0;
    let hole = false;

    const choose = (request: LoggedRequest): Fault | undefined => {
        if (hole) return { kind: "hang" };
        const match = rules.find(({ rule, left }) => left > 0 && (rule.when?.(request) ?? true));
        if (match) match.left--;
        return match?.rule.fault;
    };
    const server = createServer((incoming, response) => {
        seen++;
        const request = describe(incoming, requests.length + 1);
        const fault = choose(request);
        const logged = fault === undefined ? request : { ...request, fault: fault.kind };
        requests.push(logged);
        const passage = { upstream, incoming, response, logged, recorded: options.record ? recorded : undefined };
        serve(passage, fault).catch(() => response.destroy());
    });
    server.keepAliveTimeout = 60_000;
    const connections = new Connections(server);
    const held = await holdPort();
    await listen(server, held.port);
    const url = `http://127.0.0.1:${held.port}`;
    return {
        url,
        kubeconfig: redirect(url),
        get requests() {
            return requests;
        },
        resetLog() {
            requests = [];
        },
        inject: (rule) => add(rules, rule),
        atRequest(k, fault) {
            const target = seen + k;
            return add(rules, { fault, times: 1, when: () => seen === target });
        },
        clear() {
            rules.length = 0;
        },
        connectionsMade: () => connections.made,
        abandoned: () => connections.gone(),
        blackHole(on) {
            hole = on;
            // What hangs stays lost, as it would be after a network that came back.
            if (!on) connections.cut();
        },
        down: () => close(server),
        async up() {
            await listen(server, held.port);
        },
        async close() {
            await close(server);
            await held.release();
            await upstream.pool.destroy();
        },
    };
}

function add(rules: { readonly rule: Rule; left: number }[], rule: Rule): () => void {
    const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    rules.push(entry);
    return () => {
        entry.left = 0;
    };
}

interface Upstream {
    readonly origin: string;
    readonly pool: Pool;
}

/** Only the server and its CA are read: who calls is none of the proxy's business. */
function readUpstream(kubeconfig: string): { upstream: Upstream; redirect: (url: string) => string } {
    const document = parse(kubeconfig) as { clusters: { name: string; cluster: Record<string, string> }[] };
    const cluster = document.clusters[0]?.cluster ?? {};
    const ca = cluster["certificate-authority-data"];
    const origin = new URL(cluster.server ?? "").origin;
    const pool = new Pool(origin, { connections: 64, ...(ca ? { connect: { ca: Buffer.from(ca, "base64") } } : {}) });
    const redirect = (server: string): string =>
        JSON.stringify({
            ...document,
            clusters: document.clusters.map(({ name }) => ({ name, cluster: { server } })),
        });
    return { upstream: { origin, pool }, redirect };
}

function describe(incoming: IncomingMessage, index: number): LoggedRequest {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://proxy");
    const labelSelector = searchParams.get("labelSelector");
    const method = incoming.method ?? "GET";
    return {
        index,
        method,
        path: pathname,
        write: method !== "GET",
        ...(searchParams.has("watch") ? { watch: true } : {}),
        ...(labelSelector === null ? {} : { labelSelector }),
    };
}

interface Passage {
    readonly upstream: Upstream;
    readonly incoming: IncomingMessage;
    readonly response: ServerResponse;
    readonly logged: LoggedRequest;
    readonly recorded: Map<string, Recorded> | undefined;
}

async function serve(passage: Passage, fault: Fault | undefined): Promise<void> {
    const { incoming, response, logged, recorded } = passage;
    switch (fault?.kind) {
        case "reset":
            incoming.socket.resetAndDestroy();
            return;
        case "hang":
            return;
        case "answer":
            answer(passage, fault);
            return;
        case "delay":
            await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
            return pass(passage);
        case "stale": {
            const old = recorded?.get(incoming.url ?? "");
            if (logged.method !== "GET" || old === undefined) return pass(passage);
            logged.status = old.status;
            response.writeHead(old.status, old.headers).end(old.body);
            return;
        }
        case "drop":
            await readAll((await forward(passage)).body);
            fault.done?.();
            incoming.socket.resetAndDestroy();
            return;
        case "hold":
            await fault.until;
            return pass(passage);
        case "mute":
        case "cut-event":
        case "end-after": {
            const real = await forward(passage);
            response.writeHead(real.statusCode, endToEnd(real.headers));
            return passStream(real.body, response, fault);
        }
        case "cut":
        case "hang-body": {
            const real = await forward(passage);
            const body = await readAll(real.body);
            response.writeHead(real.statusCode, { ...endToEnd(real.headers), "content-length": body.length });
            response.write(body.subarray(0, Math.floor(body.length / 2)), () => {
                if (fault.kind === "cut") incoming.socket.destroy();
            });
            return;
        }
        default:
            return pass(passage);
    }
}

function answer({ incoming, response, logged }: Passage, fault: Extract<Fault, { kind: "answer" }>): void {
    const {
        status,
        retryAfter,
        body = { kind: "Status", status: "Failure", message: "injected", code: status },
    } = fault;
    logged.status = status;
    incoming.resume();
    response.writeHead(status, {
        "content-type": "application/json",
        ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function pass(passage: Passage): Promise<void> {
    const { incoming, response, logged, recorded } = passage;
    const real = await forward(passage);
    logged.status = real.statusCode;
    const address = incoming.url ?? "";
    if (recorded && logged.method === "GET" && !logged.watch && real.statusCode === 200 && !recorded.has(address)) {
        const body = await readAll(real.body);
        recorded.set(address, { status: 200, headers: endToEnd(real.headers), body });
        response.writeHead(200, endToEnd(real.headers)).end(body);
        return;
    }
    response.writeHead(real.statusCode, endToEnd(real.headers));
    // a watch has begun, though nothing happens yet
    response.flushHeaders();
    for await (const chunk of real.body) response.write(chunk);
    response.end();
}

async function forward({ upstream, incoming }: Passage): Promise<Dispatcher.ResponseData> {
    const method = (incoming.method ?? "GET") as Dispatcher.HttpMethod;
    const body = method === "GET" ? undefined : await readAll(incoming);
    return upstream.pool.request({
        path: incoming.url ?? "/",
        method,
        headers: endToEnd(incoming.headers),
        ...(body === undefined ? {} : { body }),
    });
}

/** These belong to one connection, and there are two. */
const HOP = new Set(["connection", "host", "keep-alive", "transfer-encoding"]);

const endToEnd = (headers: IncomingHttpHeaders): Record<string, string | string[]> =>
    Object.fromEntries(
        Object.entries(headers).filter(
            (entry): entry is [string, string | string[]] => !HOP.has(entry[0]) && entry[1] !== undefined,
        ),
    );

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
}
