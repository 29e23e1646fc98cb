import type { Transport } from "../http/transport";
import { KubeError } from "./kube-error";

const GROUP = "kilo.squat.ai";

/**
 * A 404 without the name of an object reads as "there is no such kind here", and whoever believes it forgets every peer
 * of the cluster. It can as well come from something in front of the API server, or from one that is still starting. So
 * the server's list of groups is asked too: only if that has no Kilo is the kind missing.
 */
export async function confirmMissing<T>(transport: Transport, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        if (!(error instanceof KubeError) || error.kind !== "crd-missing") throw error;
        if (!(await servesKilo(transport, error))) throw error;
        throw doubtful(error, `, though its list of API groups has ${GROUP}`);
    }
}

async function servesKilo(transport: Transport, error: KubeError): Promise<boolean> {
    const answer = await transport.send({ verb: "get", resource: "apis" }).catch((cause: unknown) => {
        if (!(cause instanceof KubeError)) throw cause;
        throw doubtful(error, `, and whether it has the kind at all could not be found out (${cause.message})`, cause);
    });
    const { groups } = answer as { readonly groups?: unknown };
    if (!Array.isArray(groups)) throw doubtful(error, ", and its list of API groups cannot be read");
    return groups.some((group) => (group as { readonly name?: unknown } | null)?.name === GROUP);
}

/** Where the second question failed, that failure says what state the cluster is in. */
const doubtful = (error: KubeError, what: string, second?: KubeError): KubeError => {
    const { kind, status, network } = second ?? { kind: "server" as const, status: error.status, network: undefined };
    return new KubeError({
        kind,
        cluster: error.cluster,
        message: `${error.message}${what}`,
        fix: "Run again; if it happens again, check what stands in front of the API server",
        cause: error,
        ...(status === undefined ? {} : { status }),
        ...(network === undefined ? {} : { network }),
    });
};
