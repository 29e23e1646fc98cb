import type { Fix } from "../../values/fix";
import { type Call, describeCall } from "../http/call";
import { KubeError, type NetworkFailure } from "./kube-error";
import { type Explanation, explainProxy } from "./proxy-errors";
import { cleanText } from "./redact";

/** Where a failure happened and what must not be said about it. */
export interface FailureContext {
    readonly cluster: string;
    readonly call: Call;
    readonly host: string;
    /** Host and port of the proxy on the way, if there is one. */
    readonly proxy?: string;
    readonly secrets: readonly string[];
}

const UNTRUSTED = new Set([
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "CERT_SIGNATURE_FAILURE",
    "CERT_UNTRUSTED",
    "INVALID_CA",
]);

/** The other words of Node for a certificate that was looked at and refused. */
const REFUSED = new Set([
    "UNABLE_TO_GET_CRL",
    "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
    "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
    "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
    "CRL_SIGNATURE_FAILURE",
    "CRL_NOT_YET_VALID",
    "CRL_HAS_EXPIRED",
    "ERROR_IN_CERT_NOT_BEFORE_FIELD",
    "ERROR_IN_CERT_NOT_AFTER_FIELD",
    "ERROR_IN_CRL_LAST_UPDATE_FIELD",
    "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
    "CERT_CHAIN_TOO_LONG",
    "CERT_REVOKED",
    "PATH_LENGTH_EXCEEDED",
    "INVALID_PURPOSE",
    "CERT_REJECTED",
    "HOSTNAME_MISMATCH",
    "UNSPECIFIED",
]);

/** A request that ended without an answer. */
export function networkError(context: FailureContext, error: unknown): KubeError {
    const { code, message } = firstCause(error);
    const { host, proxy, secrets } = context;
    const said = cleanText(message, secrets);
    const { network, what, fix } =
        (proxy === undefined ? undefined : explainProxy(code, said, host, proxy)) ?? explain(code, said, way(context));
    return unreachable(context, network, what, fix, code);
}

export const timeoutError = (context: FailureContext, seconds: number, phase: string): KubeError =>
    unreachable(
        context,
        "timeout",
        `${phase} within ${Number(seconds.toFixed(1))} s from ${way(context)}`,
        "Check that the API server is up and that no firewall drops the packets; raise `requestTimeout` if it is only slow",
    );

const way = ({ host, proxy }: FailureContext): string =>
    proxy === undefined ? host : `${host} (through the proxy ${proxy})`;

function unreachable(
    { cluster, call }: FailureContext,
    network: NetworkFailure,
    what: string,
    fix: Fix,
    code?: string,
): KubeError {
    return new KubeError({
        kind: "unreachable",
        cluster,
        message: `cluster ${cluster} is unreachable: could not ${describeCall(call)}: ${what}`,
        fix,
        network,
        retryable: !FINAL.has(network),
        ...(code ? { cause: Object.assign(new Error(what), { code }) } : {}),
    });
}

const FINAL: ReadonlySet<NetworkFailure> = new Set(["tls", "proxy", "protocol"]);

function explain(code: string, message: string, host: string): Explanation {
    if (UNTRUSTED.has(code)) {
        return {
            network: "tls",
            what: `TLS: the certificate of ${host} is not signed by the CA in the kubeconfig (${code})`,
            fix: "Use the kubeconfig of this cluster; if its CA was renewed, copy the new certificate-authority-data into it",
        };
    }
    if (REFUSED.has(code)) {
        return {
            network: "tls",
            what: `TLS: the certificate of ${host} is refused (${code}): ${message}`,
            fix: "Replace the certificate of the API server: the reason above is why it is refused",
        };
    }
    switch (code) {
        case "CERT_HAS_EXPIRED":
        case "CERT_NOT_YET_VALID":
            return {
                network: "tls",
                what: `TLS: the certificate of ${host} ${code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet"}`,
                fix: "Renew the certificate of the API server, and check the clocks of both machines",
            };
        case "ERR_TLS_CERT_ALTNAME_INVALID":
            return {
                network: "tls",
                what: `TLS: the certificate of ${host} is for another host name`,
                fix: "Use a server address the certificate names, or set tls-server-name in the kubeconfig",
            };
        case "ECONNREFUSED":
            return {
                network: "refused",
                what: `${host} refuses the connection (ECONNREFUSED)`,
                fix: "Start the API server, or correct host and port of the server in the kubeconfig",
            };
        case "ECONNRESET":
        case "EPIPE":
        case "ECONNABORTED":
        case "UND_ERR_SOCKET":
        case "HPE_INVALID_EOF_STATE":
        // A connection that was cut under TLS.
        case "ERR_SSL_UNEXPECTED_EOF_WHILE_READING":
            return {
                network: "reset",
                what: `${host} closed the connection before its answer was complete (${code})`,
                fix: "Run again; if it happens again, check the load balancer or proxy in front of the API server",
            };
        case "ENOTFOUND":
        case "EAI_AGAIN":
            return {
                network: "dns",
                what: `the name ${host} cannot be resolved (${code})`,
                fix: "Correct the server in the kubeconfig, or the DNS of this machine",
            };
        case "ETIMEDOUT":
        case "UND_ERR_CONNECT_TIMEOUT":
            return {
                network: "timeout",
                what: `no connection to ${host} in time (${code})`,
                fix: "Check that the API server is up and that no firewall drops the packets",
            };
        default:
            return explainOther(code, message, host);
    }
}

function explainOther(code: string, message: string, host: string): Explanation {
    if (code.startsWith("HPE_") || code === "UND_ERR_HEADERS_OVERFLOW") {
        return {
            network: "protocol",
            what: `${host} does not answer as an API server does (${code})`,
            fix: "Check that the server in the kubeconfig is the Kubernetes API server",
        };
    }
    if (code === "EPROTO" || /^ERR_(O?SSL|TLS|CRYPTO)_/.test(code)) {
        return {
            network: "tls",
            what: `TLS: the handshake with ${host} failed (${code}): ${message}`,
            fix: "Check that the server in the kubeconfig speaks https and accepts this client certificate",
        };
    }
    return {
        network: "network",
        what: `no answer from ${host}: ${[code, message].filter((part) => part !== "").join(": ")}`,
        fix: "Check the network between this machine and the API server",
    };
}

/** undici wraps; several addresses of a name give an AggregateError. */
function firstCause(error: unknown): { code: string; message: string } {
    let current = error as { code?: unknown; message?: unknown; cause?: unknown; errors?: unknown } | undefined;
    for (let depth = 0; depth < 5; depth++) {
        const inner = Array.isArray(current?.errors) ? current.errors[0] : undefined;
        const next = typeof current?.code === "string" ? undefined : (inner ?? current?.cause);
        if (next === undefined || next === null) break;
        current = next;
    }
    return {
        code: typeof current?.code === "string" ? current.code : "",
        message: typeof current?.message === "string" ? current.message : "",
    };
}
