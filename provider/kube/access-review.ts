import type { ClusterAccess } from "./auth/access";
import { type Surroundings, thisMachine } from "./auth/surroundings";
import { KubeError } from "./errors/kube-error";
import { systemClock } from "./http/clock";
import { briefRetries } from "./http/retry";
import { Transport } from "./http/transport";

/** Something that an account may or may not do, in RBAC's words. */
export interface Permission {
    readonly verb: string;
    readonly group: string;
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
}

export interface ReviewedPermission extends Permission {
    /** `unknown`: the cluster did not tell. */
    readonly allowed: boolean | "unknown";
}

/**
 * Asks a cluster which of these its account may do, by SelfSubjectAccessReview, which every account may send by default.
 * It changes nothing. Where the cluster does not answer the question, the answer is `unknown`.
 */
export async function reviewAccess(
    access: ClusterAccess,
    permissions: readonly Permission[],
    {
        requestTimeoutSeconds,
        surroundings = thisMachine(),
    }: { readonly requestTimeoutSeconds: number; readonly surroundings?: Surroundings },
): Promise<readonly ReviewedPermission[]> {
    const unknown = permissions.map((each): ReviewedPermission => ({ ...each, allowed: "unknown" }));
    let transport: Transport;
    try {
        transport = await Transport.open(access, {
            clock: systemClock,
            retries: briefRetries(requestTimeoutSeconds),
            requestTimeoutSeconds,
            surroundings,
            connections: permissions.length,
        });
    } catch (error) {
        return orThrow(error, unknown);
    }
    try {
        return await Promise.all(
            permissions.map((each, i) => review(transport, each).catch((error) => orThrow(error, unknown[i]!))),
        );
    } finally {
        await transport.close();
    }
}

function orThrow<T>(error: unknown, otherwise: T): T {
    if (error instanceof KubeError) return otherwise;
    throw error;
}

async function review(transport: Transport, permission: Permission): Promise<ReviewedPermission> {
    const answer = await transport.send({
        verb: "create",
        resource: "selfsubjectaccessreviews.authorization.k8s.io",
        body: {
            apiVersion: "authorization.k8s.io/v1",
            kind: "SelfSubjectAccessReview",
            spec: { resourceAttributes: permission },
        },
    });
    const { status } = answer as { status?: { allowed?: unknown } };
    return { ...permission, allowed: typeof status?.allowed === "boolean" ? status.allowed : "unknown" };
}
