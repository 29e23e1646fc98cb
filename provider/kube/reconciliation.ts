import type { ClusterAccess } from "./auth/access";
import { type ClientOptions, openTransport } from "./client";

/** A `Stack` of the Pulumi Kubernetes Operator. */
export interface StackObject {
    readonly namespace: string;
    readonly name: string;
}

export interface Reconciliation {
    /** The request that the last update was for: it is named once that has ended (docs/pulumi.md). */
    readonly updatedFor: string | undefined;
    /** How the last update ended, in the operator's words. */
    readonly lastState: string | undefined;
    readonly message: string;
}

const REQUEST = "pulumi.com/reconciliation-request";

/**
 * Asks the operator for an update (docs/pulumi.md: a new value starts an update) and returns what the object says. The
 * same value again changes nothing and asks for nothing: the right to patch that one object is all it takes.
 */
export async function requestReconciliation(
    access: ClusterAccess,
    { namespace, name }: StackObject,
    value: string,
    { signal, ...options }: ClientOptions & { readonly signal?: AbortSignal },
): Promise<Reconciliation> {
    const { transport } = await openTransport(access, options);
    try {
        const body = { metadata: { annotations: { [REQUEST]: value } } };
        const call = { verb: "patch", resource: "stacks.pulumi.com", namespace, name, body } as const;
        const answer = await transport.send(call, { signal });
        const { lastUpdate } = ((answer as { status?: unknown } | null)?.status ?? {}) as {
            lastUpdate?: { reconcileRequest?: unknown; state?: unknown; message?: unknown } | null;
        };
        return {
            updatedFor: textOf(lastUpdate?.reconcileRequest),
            lastState: textOf(lastUpdate?.state),
            message: textOf(lastUpdate?.message) ?? "",
        };
    } finally {
        await transport.close();
    }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
