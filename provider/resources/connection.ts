import { type ClusterAccess, overrideVariable } from "../kube/auth/access";
import type { KubeClient } from "../kube/client";
import { KubeError } from "../kube/errors/kube-error";
import type { Host, Props } from "./host";

/** How both resources reach their cluster: recorded in inputs and echoed into outputs, since `delete` sees those only. */
export interface Connection {
    readonly cluster: string;
    readonly kubeconfig?: string;
    readonly context?: string;
    readonly local?: boolean;
    readonly requestTimeout: number;
    readonly deleteUnreachable: boolean;
    readonly resourceUrn?: string;
}

/** The echoed keys, in the order they are compared. */
export const CONNECTION_KEYS = [
    "cluster",
    "kubeconfig",
    "context",
    "local",
    "requestTimeout",
    "deleteUnreachable",
    "resourceUrn",
] as const;

const optionalString = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export function readConnection(props: Props): Connection {
    const kubeconfig = optionalString(props.kubeconfig);
    const context = optionalString(props.context);
    const resourceUrn = optionalString(props.resourceUrn);
    return {
        cluster: optionalString(props.cluster) ?? "",
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(context === undefined ? {} : { context }),
        ...(props.local === true ? { local: true } : {}),
        requestTimeout: typeof props.requestTimeout === "number" ? props.requestTimeout : 10,
        deleteUnreachable: props.deleteUnreachable === true,
        ...(resourceUrn === undefined ? {} : { resourceUrn }),
    };
}

export function connect(host: Host, connection: Connection): Promise<KubeClient> {
    const access: ClusterAccess = {
        cluster: connection.cluster,
        ...(connection.kubeconfig === undefined ? {} : { kubeconfig: connection.kubeconfig }),
        ...(connection.context === undefined ? {} : { context: connection.context }),
        ...(connection.local === undefined ? {} : { local: connection.local }),
    };
    return host.connect(access, connection.requestTimeout);
}

export async function withCluster<T>(
    host: Host,
    connection: Connection,
    work: (client: KubeClient) => Promise<T>,
): Promise<T> {
    const client = await connect(host, connection);
    try {
        return await work(client);
    } finally {
        await client.close();
    }
}

const isTrue = (value: string | undefined): boolean => value === "true" || value === "1";

/**
 * A deletion met a cluster that does not answer. Either the debt is written off, because someone said so, or it stays
 * in the state with a message that says how to go on. Returns normally only in the first case.
 */
export function writeOffOrThrow(host: Host, connection: Connection, what: string, error: unknown): void {
    if (!(error instanceof KubeError)) throw error;
    // The objects went with their definition.
    if (error.kind === "crd-missing") return;
    const { cluster } = connection;
    const gone = error.kind === "unreachable" || error.kind === "config";
    const forgiven =
        connection.deleteUnreachable ||
        isTrue(host.env("KILO_CLUSTERMESH_DELETE_UNREACHABLE")) ||
        isTrue(host.env("PULUMI_K8S_DELETE_UNREACHABLE"));
    if (gone && forgiven) {
        host.reporter(connection.resourceUrn).warn(
            `${error.message}. The ${what} there are written off: if the cluster comes back, delete them there by hand.`,
        );
        return;
    }
    const retry = gone
        ? `Run the same command again when the cluster answers, or set KILO_CLUSTERMESH_DELETE_UNREACHABLE=true (or deleteUnreachable: true before the removal) to write them off.`
        : `${error.fix}; ${overrideVariable(cluster)} overrides the recorded credentials for one run.`;
    throw new Error(
        `the ${what} in ${cluster} could not be deleted and stay in the state: ${error.message}. ${retry}`,
        {
            cause: error,
        },
    );
}
