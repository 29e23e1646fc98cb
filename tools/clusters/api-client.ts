import { Agent, request } from "undici";

/** An answer of the API server that is not a success. */
export class ApiError extends Error {
    override readonly name = "ApiError";
    constructor(
        readonly status: number,
        readonly reason: string,
        message: string,
    ) {
        super(message);
    }
}

export interface ApiClient {
    request<T = unknown>(method: Method, path: string, body?: unknown, contentType?: string): Promise<T>;
    close(): Promise<void>;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** How many requests run at once, here and in `eachAtOnce`: more does not make a local API server any faster. */
export const CONCURRENCY = 16;

/** Talks JSON to one API server over a few connections that are kept open. */
export function apiClient(options: { url: string; ca: string; token: string; timeoutMs?: number }): ApiClient {
    const timeout = options.timeoutMs ?? 30_000;
    const agent = new Agent({
        connect: { ca: options.ca, timeout },
        connections: CONCURRENCY,
        headersTimeout: timeout,
        bodyTimeout: timeout,
    });
    return {
        async request<T>(method: Method, path: string, body?: unknown, contentType = "application/json"): Promise<T> {
            const response = await request(new URL(path, options.url), {
                dispatcher: agent,
                method,
                headers: { authorization: `Bearer ${options.token}`, "content-type": contentType },
                body: body === undefined ? null : JSON.stringify(body),
            });
            const text = await response.body.text();
            if (response.statusCode >= 400) throw apiError(method, path, response.statusCode, text);
            return parse(text) as T;
        },
        close: () => agent.destroy(),
    };
}

/** Runs `work` on every item, a bounded number at a time; the first failure is thrown after the others have ended. */
export async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const rest = items.values();
    const worker = async () => {
        for (const item of rest) await work(item);
    };
    const ends = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** Some answers (`/readyz`) are plain text. */
function parse(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}

function apiError(method: string, path: string, status: number, text: string): ApiError {
    const { reason, message } = (parse(text) ?? {}) as { reason?: string; message?: string };
    return new ApiError(status, reason ?? "", `${method} ${path}: ${status} ${message ?? text}`);
}
