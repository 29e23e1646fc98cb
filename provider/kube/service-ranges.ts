import type { ClusterAccess } from "./auth/access";
import { type Surroundings, thisMachine } from "./auth/surroundings";
import { KubeError } from "./errors/kube-error";
import { systemClock } from "./http/clock";
import { briefRetries } from "./http/retry";
import { Transport } from "./http/transport";
import { listAll } from "./list";

/** The ranges that a cluster takes addresses of services from, or why they cannot be told. */
export type ServiceRanges =
    | { readonly known: true; readonly cidrs: readonly string[] }
    | { readonly known: false; readonly why: string };

/** The one that the API server makes of its own flag. */
const FIRST = "kubernetes";

/** Read from the ServiceCIDR objects, which say exactly what is used. */
export async function serviceRanges(
    access: ClusterAccess,
    {
        requestTimeoutSeconds,
        surroundings = thisMachine(),
    }: { readonly requestTimeoutSeconds: number; readonly surroundings?: Surroundings },
): Promise<ServiceRanges> {
    const transport = await Transport.open(access, {
        clock: systemClock,
        retries: briefRetries(requestTimeoutSeconds),
        requestTimeoutSeconds,
        surroundings,
        connections: 1,
    });
    try {
        const bounds = { cluster: access.cluster, clock: systemClock, deadlineSeconds: requestTimeoutSeconds * 6 };
        const { items } = await listAll(transport, "servicecidrs.networking.k8s.io", readRange, {}, bounds);
        const cidrs = items
            .sort((a, b) => Number(b.name === FIRST) - Number(a.name === FIRST))
            .flatMap((each) => each.cidrs);
        return cidrs.length > 0
            ? { known: true, cidrs }
            : { known: false, why: "the cluster has no ServiceCIDR object" };
    } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        return { known: false, why: whyNot(error) };
    } finally {
        await transport.close();
    }
}

function readRange(object: unknown): { readonly name: string; readonly cidrs: readonly string[] } {
    const { metadata, spec } = (object ?? {}) as { metadata?: { name?: unknown }; spec?: { cidrs?: unknown } };
    const cidrs: readonly unknown[] = Array.isArray(spec?.cidrs) ? spec.cidrs : [];
    return { name: String(metadata?.name ?? ""), cidrs: cidrs.filter((cidr) => typeof cidr === "string") };
}

function whyNot({ kind, message }: KubeError): string {
    if (kind === "not-found" || kind === "crd-missing")
        return "the cluster has no ServiceCIDR objects (Kubernetes before 1.33)";
    if (kind === "forbidden") return "the account may not list servicecidrs.networking.k8s.io";
    return message;
}
