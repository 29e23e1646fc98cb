import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../failure";
import type { ListenAddress } from "./listen-address";

export interface Served {
    readonly listen: ListenAddress;
    readonly metrics: { readonly contentType: string; text(): Promise<string> };
    /** Members that nothing was heard of yet: ready is who waits for none. */
    waitingFor(): readonly string[];
}

export interface MetricsServer {
    readonly port: number;
    close(): Promise<void>;
}

interface Answer {
    readonly status: number;
    readonly body: string;
    readonly type?: string;
}

const TEXT = "text/plain; charset=utf-8";
/** Whoever is slower than this to ask does not hold a connection. */
const REQUEST_MILLISECONDS = 10_000;
const CONNECTIONS = 64;

/** Answers `/metrics`, `/healthz` and `/readyz`, and nothing else. */
export async function serve({ listen, metrics, waitingFor }: Served): Promise<MetricsServer> {
    const pages: Readonly<Record<string, () => Promise<Answer>>> = {
        "/metrics": async () => ({ status: 200, body: await metrics.text(), type: metrics.contentType }),
        "/healthz": async () => ({ status: 200, body: "ok\n" }),
        "/readyz": async () => {
            const waiting = waitingFor();
            if (waiting.length === 0) return { status: 200, body: "ok\n" };
            return { status: 503, body: `nothing was heard yet of ${waiting.join(", ")}\n` };
        },
    };
    const server = createServer((request, response) => void answer(pages, request, response));
    server.requestTimeout = REQUEST_MILLISECONDS;
    server.headersTimeout = REQUEST_MILLISECONDS;
    server.maxConnections = CONNECTIONS;
    await opened(server, listen);
    return {
        port: (server.address() as AddressInfo).port,
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

async function answer(
    pages: Readonly<Record<string, () => Promise<Answer>>>,
    { method = "GET", url = "/" }: IncomingMessage,
    response: ServerResponse,
): Promise<void> {
    const path = url.split("?", 1)[0] ?? "/";
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page === undefined) return send(response, method, { status: 404, body: "not found\n" });
    if (method !== "GET" && method !== "HEAD") {
        response.setHeader("allow", "GET, HEAD");
        return send(response, method, { status: 405, body: "method not allowed\n" });
    }
    try {
        send(response, method, await page());
    } catch (error) {
        send(response, method, { status: 500, body: `${(error as Error).message}\n` });
    }
}

function send(response: ServerResponse, method: string, { status, body, type = TEXT }: Answer): void {
    response.writeHead(status, {
        "content-type": type,
        "content-length": Buffer.byteLength(body),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
    });
    response.end(method === "HEAD" ? undefined : body);
}

const REASONS: Readonly<Record<string, string>> = {
    EADDRINUSE: "another process listens there",
    EACCES: "this user may not listen there",
    EADDRNOTAVAIL: "this machine does not have that address",
    ENOTFOUND: "that name has no address",
};

const opened = (server: Server, { host, port }: ListenAddress): Promise<void> =>
    new Promise((resolve, reject) => {
        server.once("error", ({ code = "", message }: NodeJS.ErrnoException) => {
            reject(
                new UsageError(
                    `cannot listen on ${host ?? ""}:${port}: ${REASONS[code] ?? message}`,
                    "Give another address or port with --listen",
                ),
            );
        });
        server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
    });
