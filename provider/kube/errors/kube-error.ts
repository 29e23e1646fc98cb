import type { Fix } from "../../values/fix";

export type KubeErrorKind =
    /** Network, TLS or timeout: the cluster did not give an answer. */
    | "unreachable"
    | "unauthorized"
    | "forbidden"
    | "crd-missing"
    | "not-found"
    | "already-exists"
    | "conflict"
    | "invalid"
    | "throttled"
    /** The kubeconfig, or what it points to, cannot be used. Nothing was contacted. */
    | "config"
    | "server";

/**
 * Of a conflict: `uid`, the object under this name is not the one that was meant, or `modified`. `dry-run`: a webhook
 * cannot be asked without effect.
 */
export type RefusalReason = "uid" | "modified" | "dry-run";

/**
 * How an unreachable cluster failed; decides what trying again can bring. `tls`: a certificate or the whole handshake was
 * refused, by either side. `proxy`: the proxy on the way answered, and refused. `protocol`: it is no HTTP that answers.
 */
export type NetworkFailure = "timeout" | "refused" | "reset" | "dns" | "tls" | "proxy" | "protocol" | "network";

export interface KubeErrorDetails {
    readonly kind: KubeErrorKind;
    readonly cluster: string;
    readonly message: string;
    readonly fix: Fix;
    readonly retryable?: boolean;
    readonly status?: number;
    readonly reason?: RefusalReason;
    readonly network?: NetworkFailure;
    readonly retryAfterSeconds?: number;
    readonly holder?: string;
    readonly cause?: unknown;
}

/** What went wrong with one cluster: `message` says where, what was tried and what happened; `fix` the next step. */
export class KubeError extends Error {
    override readonly name = "KubeError";
    readonly kind: KubeErrorKind;
    readonly cluster: string;
    readonly fix: Fix;
    readonly retryable: boolean;
    readonly status: number | undefined;
    readonly reason: RefusalReason | undefined;
    readonly network: NetworkFailure | undefined;
    readonly retryAfterSeconds: number | undefined;
    /**
     * The cluster at the root of this failure, where it is another one: the one whose Secrets lead to this cluster and
     * that could not be asked for them. What is wrong is told there, and need not be told again.
     */
    readonly holder: string | undefined;

    constructor(details: KubeErrorDetails) {
        super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
        this.kind = details.kind;
        this.cluster = details.cluster;
        this.fix = details.fix;
        this.retryable = details.retryable ?? false;
        this.status = details.status;
        this.reason = details.reason;
        this.network = details.network;
        this.retryAfterSeconds = details.retryAfterSeconds;
        this.holder = details.holder;
    }
}

/** What a failure says of the whole cluster. `silent`: no answer. `unusable`: it answers, or would, but a person must act. */
export type FailureState = "silent" | "unusable";

/** Only silence can be waited out or written off, so what is not known to be silence never counts as such. */
export function failureState({ kind, network, status }: KubeError): FailureState {
    switch (kind) {
        case "unreachable":
            return network !== undefined && SILENT.has(network) ? "silent" : "unusable";
        case "throttled":
            return "silent";
        case "server":
            // 410: the server forgets a list faster than it hands it out.
            return status !== undefined && (status >= 500 || status === 410) ? "silent" : "unusable";
        default:
            return "unusable";
    }
}

const SILENT: ReadonlySet<NetworkFailure> = new Set(["timeout", "refused", "reset", "dns", "network"]);

export const configError = (cluster: string, what: string, fix: Fix): KubeError =>
    new KubeError({ kind: "config", cluster, message: `cluster ${cluster}: ${what}`, fix });
