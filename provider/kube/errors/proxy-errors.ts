import type { Fix } from "../../values/fix";
import type { NetworkFailure } from "./kube-error";

export interface Explanation {
    readonly network: NetworkFailure;
    readonly what: string;
    readonly fix: Fix;
}

const FIX = "Check proxy-url in the kubeconfig (or HTTPS_PROXY and NO_PROXY), and the proxy itself";

/** Our own connections end at the proxy: these failures are its, and nothing was heard of the API server. */
const CONNECTING: Readonly<Record<string, NetworkFailure>> = {
    ECONNREFUSED: "refused",
    ENOTFOUND: "dns",
    EAI_AGAIN: "dns",
    ETIMEDOUT: "timeout",
    UND_ERR_CONNECT_TIMEOUT: "timeout",
    EHOSTUNREACH: "network",
    ENETUNREACH: "network",
};

/** Answers of a SOCKS proxy that say: there is no way to the server now (RFC 1928, §6). */
const NO_WAY = /^UND_ERR_SOCKS5_REPLY_[13456]$/;

/** What a failure says when it is the proxy's; undefined when it came through the proxy. */
export function explainProxy(code: string, message: string, host: string, proxy: string): Explanation | undefined {
    const connecting = Object.hasOwn(CONNECTING, code) ? CONNECTING[code] : undefined;
    if (connecting !== undefined) {
        return {
            network: connecting,
            what: `the proxy ${proxy} on the way to ${host} cannot be reached (${code})`,
            fix: FIX,
        };
    }
    const [, status] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
    if (NO_WAY.test(code) || /^50[234]$/.test(status ?? "")) {
        return { network: "network", what: `the proxy ${proxy} cannot reach ${host}: ${message}`, fix: FIX };
    }
    if (/^SOCKS5 \w+ timeout$/.test(message)) {
        return { network: "timeout", what: `the proxy ${proxy} on the way to ${host} does not answer`, fix: FIX };
    }
    if (status !== undefined || code.startsWith("UND_ERR_SOCKS5") || code === "UND_ERR_PRX_TLS") {
        return {
            network: "proxy",
            what: `the proxy ${proxy} on the way to ${host} refused: ${message}`,
            fix: `${FIX}; it may want a user and a password`,
        };
    }
    return undefined;
}
