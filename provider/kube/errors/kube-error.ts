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

/** How an unreachable cluster failed; decides what trying again can bring. */
export type NetworkFailure = "timeout" | "refused" | "reset" | "dns" | "tls" | "proxy" | "network";

export interface KubeErrorDetails {
    readonly kind: KubeErrorKind;
    readonly cluster: string;
    readonly message: string;
    readonly fix: string;
    readonly retryable?: boolean;
    readonly status?: number;
    readonly reason?: RefusalReason;
    readonly network?: NetworkFailure;
    readonly retryAfterSeconds?: number;
    readonly cause?: unknown;
}

/** What went wrong with one cluster: `message` says where, what was tried and what happened; `fix` the next step. */
export class KubeError extends Error {
    override readonly name = "KubeError";
    readonly kind: KubeErrorKind;
    readonly cluster: string;
    readonly fix: string;
    readonly retryable: boolean;
    readonly status: number | undefined;
    readonly reason: RefusalReason | undefined;
    readonly network: NetworkFailure | undefined;
    readonly retryAfterSeconds: number | undefined;

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
    }
}

export const configError = (cluster: string, what: string, fix: string): KubeError =>
    new KubeError({ kind: "config", cluster, message: `cluster ${cluster}: ${what}`, fix });
