import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type Access, type Account, authorize, EVERYTHING, LEAST } from "./double/accounts";
import type { Cluster } from "./double/cluster";
import { discovery } from "./double/discovery";
import { type DoubleNode, NodeStore } from "./double/node-store";
import { Pages } from "./double/pages";
import { peerCall } from "./double/peer-call";
import { type PeerEvent, PeerStore, type StoredPeer } from "./double/peer-store";
import { listNodes, listPeers, readNamespace, readNode, readSecret } from "./double/read-calls";
import { ApiStatus } from "./double/status";
import { isWatch, type WatchSource, watchCall } from "./double/watch-call";
import { type Watched, WatchLog } from "./double/watch-log";
import { kubeconfigFor } from "./kubeconfig";

export type { DoubleNode, PeerEvent, StoredPeer };

export interface ApiDoubleOptions {
    /** With TLS when given; PEM. */
    readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string };
    /** `false`: a cluster without Kilo. */
    readonly crd?: boolean;
}

/** The small part of the Kubernetes API that we use, in this process: thousands of requests per second. */
export interface ApiDouble {
    readonly url: string;
    /** May do everything. */
    readonly adminKubeconfig: string;
    /** May do what docs/rbac.yaml allows. */
    readonly kubeconfig: string;
    /** Bearer tokens; change at will. */
    readonly accounts: Map<string, Account>;
    readonly nodes: Map<string, DoubleNode>;
    readonly peers: PeerStore;
    /** Their uids. Another uid of kube-system makes it another cluster. */
    readonly namespaces: Map<string, string>;
    /** By `namespace/name`, values not encoded. */
    readonly secrets: Map<string, Readonly<Record<string, string>>>;
    /** Every write to a Peer since the start. */
    readonly events: readonly PeerEvent[];
    readonly requests: number;
    /** Every answer comes so many milliseconds later, as over a network; 0 by default. */
    setDelay(milliseconds: number): void;
    /** Connections are accepted and nothing is answered; afterwards what hangs stays lost. */
    silence(on: boolean): void;
    /** Called with every request that arrives. */
    onRequest(listener: (method: string, path: string) => void): void;
    /** A node that is new gets a uid, one that is there keeps its own. */
    putNode(node: DoubleNode): void;
    /** What its answers say of the time, in milliseconds since the epoch; `undefined`: nothing. */
    setClock(now: () => number | undefined): void;
    /** Every list under way gets 410 on its next page, and a watch from before now is told to list again. */
    compact(): void;
    /** How many watches are open. */
    readonly watches: number;
    /** Tells every open watch that asked for bookmarks the present version. */
    bookmark(): void;
    /** Ends every open watch: as a server does after a while, or in the middle of the connection. */
    endWatches(how: "in order" | "reset"): void;
    installCrd(installed: boolean): void;
    close(): Promise<void>;
}

const ADMIN = "admin-token-of-the-double";
const MEMBER = "member-token-of-the-double";

const FIRST_VERSION = 100;

export async function startApiDouble(options: ApiDoubleOptions = {}): Promise<ApiDouble> {
    // Not from 0: a real server has objects of its own before the first of ours, so that an early version is too old.
    let version = FIRST_VERSION;
    const nextVersion = (): string => String(++version);
    const accounts = new Map<string, Account>([
        [ADMIN, { user: "admin", rules: EVERYTHING }],
        [MEMBER, { user: "system:serviceaccount:kilo-clustermesh:kilo-clustermesh", rules: LEAST }],
    ]);
    const cluster: Cluster = {
        accounts,
        nodes: new NodeStore(nextVersion, (type, node) => cluster.nodeLog.record(type, node)),
        nodeLog: new WatchLog(FIRST_VERSION),
        peerLog: new WatchLog(FIRST_VERSION),
        secrets: new Map(),
        namespaces: new Map([["kube-system", randomUUID()]]),
        peers: new PeerStore(nextVersion),
        nodePages: new Pages(),
        peerPages: new Pages(),
        version: () => String(version),
        now: Date.now,
        crd: options.crd ?? true,
    };
    const events: PeerEvent[] = [];
    cluster.peers.onEvent((event) => {
        events.push(event);
        cluster.peerLog.record(event.type, event.object);
    });
    const logs = [cluster.nodeLog, cluster.peerLog];
    let requests = 0;
    let delay = 0;
    let isSilent = false;
    const listeners: ((method: string, path: string) => void)[] = [];
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
        requests++;
        for (const listener of listeners) listener(request.method ?? "GET", request.url ?? "/");
        if (isSilent) return;
        if (delay === 0) void answer(cluster, request, response);
        else setTimeout(() => void answer(cluster, request, response), delay);
    };
    const server = options.tls ? createTlsServer(options.tls, onRequest) : createServer(onRequest);
    server.keepAliveTimeout = 60_000;
    const port = await listen(server);
    const url = `${options.tls ? "https" : "http"}://127.0.0.1:${port}`;
    const kubeconfig = (token: string): string => kubeconfigFor({ server: url, token, ca: options.tls?.ca });
    return {
        url,
        accounts,
        nodes: cluster.nodes,
        peers: cluster.peers,
        secrets: cluster.secrets,
        namespaces: cluster.namespaces,
        events,
        adminKubeconfig: kubeconfig(ADMIN),
        kubeconfig: kubeconfig(MEMBER),
        get requests() {
            return requests;
        },
        setDelay(milliseconds) {
            delay = milliseconds;
        },
        silence(on) {
            isSilent = on;
            if (!on) server.closeAllConnections();
        },
        onRequest: (listener) => void listeners.push(listener),
        putNode(node) {
            cluster.nodes.set(node.metadata.name, node);
        },
        setClock(now) {
            cluster.now = now;
        },
        compact() {
            cluster.nodePages.compact();
            cluster.peerPages.compact();
            for (const log of logs) log.compact(version);
        },
        get watches() {
            return logs.reduce((sum, log) => sum + log.watchers, 0);
        },
        bookmark() {
            for (const log of logs) log.bookmark();
        },
        endWatches(how) {
            for (const log of logs) log.end(how);
        },
        installCrd(installed) {
            cluster.crd = installed;
            if (!installed) cluster.peerLog.end("in order");
        },
        close: () => close(server),
    };
}

export const listen = (server: Server, port = 0): Promise<number> =>
    new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
    });

export const close = (server: Server): Promise<void> =>
    new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
    });

const FLOW_SCHEMA = "7cb3a2f6-4a80-4a9d-8f0f-0d7b9f6f3c55";

const VERBS: Readonly<Record<string, string>> = { POST: "create", PATCH: "patch", DELETE: "delete" };

async function answer(cluster: Cluster, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const now = cluster.now();
    response.sendDate = false;
    if (now !== undefined) response.setHeader("date", new Date(now).toUTCString());
    try {
        const text = await readBody(request);
        const answered = handle(cluster, request, text);
        if ("watch" in answered) answered.watch(response);
        else send(response, answered.status, JSON.stringify(answered.body));
    } catch (error) {
        if (!(error instanceof ApiStatus)) throw error;
        if (error.reason === "PageNotFound") send(response, 404, "404 page not found\n", "text/plain; charset=utf-8");
        else send(response, error.code, JSON.stringify(error.body()), "application/json", error.headers);
    }
}

function send(
    response: ServerResponse,
    status: number,
    text: string,
    type = "application/json",
    headers: Readonly<Record<string, string>> = {},
): void {
    response.writeHead(status, {
        "content-type": type,
        "content-length": Buffer.byteLength(text),
        // Servers that queue fairly say so; kubectl then does not slow itself down.
        "x-kubernetes-pf-flowschema-uid": FLOW_SCHEMA,
        ...headers,
    });
    response.end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("utf8");
}

type Answer = { readonly status: number; readonly body: unknown } | { watch(response: ServerResponse): void };

const watching = <T extends Watched>(source: WatchSource<T>, query: URLSearchParams): Answer => ({
    watch: (response) => watchCall(response, source, query),
});

function handle(cluster: Cluster, request: IncomingMessage, text: string): Answer {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://double");
    const allow = (access: Access): void => authorize(cluster.accounts, request.headers.authorization, access);
    const [, object] = /^\/apis\/kilo\.squat\.ai\/v1alpha1\/peers(?:\/([^/]+))?$/.exec(pathname) ?? [];
    const name = object === undefined ? undefined : decodeURIComponent(object);
    const method = request.method ?? "GET";
    const reads = isWatch(query) ? "watch" : "list";
    const verb = VERBS[method] ?? (name === undefined ? reads : "get");

    const [isNode, node] = /^\/api\/v1\/nodes\/([^/]+)$/.exec(pathname) ?? [];
    if (isNode) {
        allow({ verb: VERBS[method] ?? "get", resource: "nodes" });
        return { status: 200, body: readNode(cluster, method, decodeURIComponent(node ?? "")) };
    }
    if (pathname === "/api/v1/nodes" && method === "GET") {
        allow({ verb, resource: "nodes" });
        if (verb === "watch") {
            const { nodeLog: log, version } = cluster;
            const all = () => [...cluster.nodes.values()];
            return watching({ apiVersion: "v1", kind: "Node", log, all, version }, query);
        }
        return { status: 200, body: { kind: "NodeList", apiVersion: "v1", ...listNodes(cluster, query) } };
    }
    const secret = /^\/api\/v1\/namespaces\/([^/]+)\/secrets\/([^/]+)$/.exec(pathname);
    if (secret && method === "GET") {
        const [, namespace = "", secretName = ""] = secret.map((part) => decodeURIComponent(part));
        allow({ verb: "get", resource: "secrets", namespace });
        return { status: 200, body: readSecret(cluster, namespace, secretName) };
    }
    const namespace = /^\/api\/v1\/namespaces\/([^/]+)$/.exec(pathname)?.[1];
    if (namespace !== undefined && method === "GET") {
        allow({ verb: "get", resource: "namespaces", name: namespace });
        return { status: 200, body: readNamespace(cluster, namespace) };
    }
    const found = method === "GET" ? discovery(pathname, cluster) : undefined;
    if (found !== undefined) {
        allow({ verb: "get", resource: "apis" });
        return { status: 200, body: found };
    }
    if (!pathname.startsWith("/apis/kilo.squat.ai/v1alpha1/peers")) throw new ApiStatus(404, "PageNotFound", "");
    allow({ verb, resource: "peers" });
    if (!cluster.crd) throw new ApiStatus(404, "PageNotFound", "");
    if (verb === "watch") {
        const { peerLog: log, version } = cluster;
        const all = () => cluster.peers.all();
        return watching({ apiVersion: "kilo.squat.ai/v1alpha1", kind: "Peer", log, all, version }, query);
    }
    if (verb === "list" && name === undefined) {
        return {
            status: 200,
            body: { apiVersion: "kilo.squat.ai/v1alpha1", kind: "PeerList", ...listPeers(cluster, query) },
        };
    }
    return peerCall(cluster.peers, verb, name, query, text, request.headers["content-type"]);
}
