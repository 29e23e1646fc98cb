import type { ClusterAccess } from "../kube/auth/access";
import { sameKubeconfig } from "../kube/auth/same-kubeconfig";
import type { KubeClient } from "../kube/client";
import { configError } from "../kube/errors/kube-error";
import type { Host, Props } from "./host";
import { optionalText, pick } from "./props";

/** How both resources reach their cluster: recorded in inputs and echoed into outputs, since `delete` sees those only. */
export interface Connection {
    readonly cluster: string;
    readonly kubeconfig?: string;
    readonly context?: string;
    readonly local?: boolean;
    readonly requestTimeout: number;
    readonly deleteUnreachable: boolean;
    readonly resourceUrn?: string;
    /** Uid of the cluster's namespace kube-system, once it was seen. */
    readonly identity?: string;
    /** Nothing was ever written there. */
    readonly neverSeen: boolean;
}

const CREDENTIAL_KEYS = ["kubeconfig", "context", "local"] as const;

/** The echoed keys, in the order they are compared. */
export const CONNECTION_KEYS = [
    "cluster",
    ...CREDENTIAL_KEYS,
    "requestTimeout",
    "deleteUnreachable",
    "resourceUrn",
    "identity",
    "neverSeen",
] as const;

export function readConnection(props: Props): Connection {
    const kubeconfig = typeof props.kubeconfig === "string" ? props.kubeconfig : undefined;
    const context = optionalText(props.context);
    const resourceUrn = optionalText(props.resourceUrn);
    const identity = optionalText(props.identity);
    return {
        cluster: optionalText(props.cluster) ?? "",
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(context === undefined ? {} : { context }),
        ...(props.local === true ? { local: true } : {}),
        requestTimeout: typeof props.requestTimeout === "number" ? props.requestTimeout : 10,
        deleteUnreachable: props.deleteUnreachable === true,
        ...(resourceUrn === undefined ? {} : { resourceUrn }),
        ...(identity === undefined ? {} : { identity }),
        neverSeen: props.neverSeen === true,
    };
}

/**
 * The credentials to record: those given, unless they could not be used in this run and others are recorded. A kubeconfig
 * from a Secret that could not be read, or was overridden for this run, is not given at all.
 */
export function credentialsToRecord(olds: Props, news: Props, isSeen: boolean): Props {
    const recorded = pick(olds, CREDENTIAL_KEYS);
    // a secret without a value arrives as null, and is as good as absent
    const given = pick(news, CREDENTIAL_KEYS);
    const hasWay = ({ kubeconfig, local }: Props): boolean => kubeconfig !== undefined || local === true;
    const { kubeconfig: _, context: __, local: ___, ...rest } = news;
    if (hasWay(recorded) && !(isSeen && hasWay(given))) return { ...rest, ...recorded };
    // written differently is no change
    const isSame = given.kubeconfig !== undefined && sameKubeconfig(recorded.kubeconfig, given.kubeconfig);
    return { ...rest, ...given, ...(isSame ? { kubeconfig: recorded.kubeconfig } : {}) };
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

/** Works in the recorded cluster and in no other: a kubeconfig may lead elsewhere by now. */
export async function withCluster<T>(
    host: Host,
    connection: Connection,
    work: (client: KubeClient) => Promise<T>,
): Promise<T> {
    const client = await connect(host, connection);
    try {
        await requireIdentity(client, connection);
        return await work(client);
    } finally {
        await client.close();
    }
}

async function requireIdentity(client: KubeClient, { cluster, identity }: Connection): Promise<void> {
    if (identity === undefined) return;
    const found = await client.clusterUid();
    if (found === undefined || found === identity) return;
    throw configError(
        cluster,
        `its kubeconfig leads to another cluster (${found}) than the recorded one (${identity}), and nothing there was touched`,
        `Correct the kubeconfig; if the cluster was rebuilt, set rebuilt: "${found}" on it`,
    );
}
