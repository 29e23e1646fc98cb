import type { Dispatcher } from "undici";
import type { Credentials } from "../auth/credentials";
import { loadProxyAgent, Pool } from "./undici";

export interface DispatcherOptions {
    readonly proxy: URL | undefined;
    readonly connectTimeoutSeconds: number;
    readonly connections: number;
}

/** Kept-alive connections to one API server, straight or through its proxy. */
export function openDispatcher(
    { server, tls }: Credentials,
    { proxy, connectTimeoutSeconds, connections }: DispatcherOptions,
): Dispatcher {
    // Deadlines are the transport's: undici's own timers are coarse and know no overall bound. The one for connecting
    // only cleans up behind it.
    const connect = { ...tls, timeout: (connectTimeoutSeconds + 1) * 1000 };
    const shared = { connections, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 };
    if (proxy === undefined) return new Pool(server.origin, { ...shared, connect });
    // undici leaves name resolution to a SOCKS proxy, which is what the h stands for; given proxyTls, it would speak
    // TLS to it.
    const uri = proxy.href.replace(/^socks5h:/, "socks5:");
    const proxyTls = uri.startsWith("socks") ? {} : { proxyTls: { timeout: connect.timeout } };
    const ProxyAgent = loadProxyAgent();
    return new ProxyAgent({ ...shared, uri, requestTls: connect, ...proxyTls });
}
