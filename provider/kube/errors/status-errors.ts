import { z } from "zod";
import type { Fix } from "../../values/fix";
import { type Call, describeCall } from "../http/call";
import { KubeError, type KubeErrorKind, type RefusalReason } from "./kube-error";
import type { FailureContext } from "./network-errors";
import { cleanText } from "./redact";

export interface Refusal {
    readonly status: number;
    readonly text: string;
    readonly retryAfterSeconds?: number;
    /** What is known about the credentials that were used. */
    readonly hint?: string;
}

const statusSchema = z.object({
    message: z.string().catch(""),
    reason: z.string().catch(""),
    details: z
        .object({
            kind: z.string().catch(""),
            causes: z.array(z.object({ field: z.string().catch("") })).catch([]),
        })
        .catch({ kind: "", causes: [] }),
});
type Status = z.infer<typeof statusSchema>;

interface Reading {
    readonly kind: KubeErrorKind;
    readonly fix: Fix;
    readonly retryable?: boolean;
    readonly reason?: RefusalReason;
}

/** An answer that is not a success. */
export function statusError(context: FailureContext, refusal: Refusal): KubeError {
    const status = readStatus(refusal.text);
    const reading = read(context, refusal, status);
    const said = cleanText(status?.message || refusal.text, context.secrets);
    const hint = reading.kind === "unauthorized" && refusal.hint ? ` (${refusal.hint})` : "";
    const { cluster, call } = context;
    return new KubeError({
        ...reading,
        cluster,
        message: `cluster ${cluster}: could not ${describeCall(call)}: ${refusal.status}${said ? ` ${said}` : ""}${hint}`,
        status: refusal.status,
        ...(refusal.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: refusal.retryAfterSeconds }),
    });
}

function read(context: FailureContext, { status }: Refusal, body: Status | undefined): Reading {
    const { call, host } = context;
    if (call.query?.dryRun !== undefined && / does not support dry run/i.test(body?.message ?? "")) {
        return { kind: "invalid", reason: "dry-run", fix: "Let the webhook declare `sideEffects: None`" };
    }
    switch (status) {
        case 401:
            return {
                kind: "unauthorized",
                fix: "Renew the token or client certificate in the kubeconfig: the cluster does not accept it",
            };
        case 403:
            return { kind: "forbidden", fix: forbiddenFix(context, body) };
        case 404:
            return notFound(context, body);
        case 409:
            if (body?.reason === "AlreadyExists") {
                return {
                    kind: "already-exists",
                    fix: "Find out whose object has this name; nothing of it was changed",
                };
            }
            return {
                kind: "conflict",
                reason: "modified",
                // A delete conflicts with its own precondition, and will again.
                retryable: call.verb !== "delete",
                fix: "Run again: something else changed this object at the same time",
            };
        case 400:
        case 413:
        case 415:
        case 422:
            if (body?.details.causes.some(({ field }) => field === "metadata.uid")) {
                return {
                    kind: "conflict",
                    reason: "uid",
                    fix: "Find out what deleted the object and created it again under its name; the new one was left alone",
                };
            }
            return {
                kind: "invalid",
                fix: "Correct the values that the message names: the Kilo CRD or a webhook of the cluster refuses them",
            };
        case 429:
            return { kind: "throttled", retryable: true, fix: "Run again later: the API server is overloaded" };
        default:
            return {
                kind: "server",
                retryable: status >= 500 && status !== 501,
                fix:
                    status >= 500
                        ? "Check the log of the API server (or of the webhook or proxy in front of it), then run again"
                        : `Check that the server in the kubeconfig (${host}) is a Kubernetes API server: ${describeCall(call)} is not understood`,
            };
    }
}

function forbiddenFix({ call }: FailureContext, body: Status | undefined): Fix {
    // RBAC says "User … cannot list resource …"; anything else is admission: a webhook, a policy or a quota.
    if (body !== undefined && !/ cannot /.test(body.message)) {
        return "Allow it in the admission policy, webhook or quota of the cluster that refused it, then run again";
    }
    const where = call.namespace === undefined ? "" : ` in namespace ${call.namespace}`;
    const lacks = `the account lacks the verb "${call.verb}" on "${call.resource}"${where}`;
    const grant =
        GRANTED_ALONE[call.resource] ??
        "Apply rbac.yaml of this package (node_modules/pulumi-kilo-clustermesh/docs/rbac.yaml) to the cluster and bind it to this account";
    return `${grant}: ${lacks}`;
}

/** What is not in docs/rbac.yaml: a right on one object. */
const GRANTED_ALONE: { readonly [R in Call["resource"]]?: Fix } = {
    secrets: "Grant access to this one Secret with a Role and a RoleBinding",
    "stacks.pulumi.com":
        "Grant access to this one Stack with a Role and a RoleBinding, as examples/continuous/watch/with-operator.yaml does",
};

function notFound({ call, host }: FailureContext, body: Status | undefined): Reading {
    if (call.resource === "nodes" || call.resource === "apis") {
        return { kind: "server", fix: `Check that ${host} (server in the kubeconfig) is a Kubernetes API server` };
    }
    // The server names the object's kind when the object is missing; a missing CRD is a plain "page not found".
    const objectIsMissing = call.name !== undefined && body?.reason === "NotFound" && body.details.kind !== "";
    if (call.resource === "secrets" || call.resource === "namespaces" || objectIsMissing) {
        return { kind: "not-found", fix: "Check that the object exists and that its name is spelt right" };
    }
    if (call.resource === "stacks.pulumi.com") {
        return {
            kind: "not-found",
            fix: "Install the Pulumi Kubernetes Operator in this cluster, or name another with --in",
        };
    }
    return {
        kind: "crd-missing",
        fix: "Install Kilo in this cluster, or at least its CRD peers.kilo.squat.ai (manifests/crds.yaml of Kilo)",
    };
}

function readStatus(text: string): Status | undefined {
    try {
        const parsed = statusSchema.safeParse(JSON.parse(text));
        return parsed.success ? parsed.data : undefined;
    } catch {
        return undefined;
    }
}
