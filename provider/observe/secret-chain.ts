import type { ClusterAccess } from "../kube/auth/access";
import { requireSelfContained } from "../kube/auth/self-contained";
import type { KubeClient } from "../kube/client";
import { configError, KubeError } from "../kube/errors/kube-error";
import type { SecretReference } from "../mesh/types";

interface Target {
    readonly name: string;
    readonly access: ClusterAccess;
    readonly kubeconfigSecret?: SecretReference;
}

export interface SecretReader {
    /** How to reach a cluster, after its Secret was read from the member that holds it. Read once, shared. */
    accessOf(name: string): Promise<ClusterAccess>;
    /** Filled as Secrets are read. */
    readonly kubeconfigs: ReadonlyMap<string, string>;
}

/** Follows `kubeconfigSecret` references, which may form chains; a cycle or a missing end is an error. */
export function secretReader(
    targets: readonly Target[],
    open: (access: ClusterAccess) => Promise<KubeClient>,
    isOverridden: (name: string) => boolean,
): SecretReader {
    const byName = new Map(targets.map((target) => [target.name, target]));
    const known = new Map<string, Promise<ClusterAccess>>();
    const kubeconfigs = new Map<string, string>();

    const resolve = async ({ name, access, kubeconfigSecret }: Target): Promise<ClusterAccess> => {
        if (kubeconfigSecret === undefined || isOverridden(name)) return access;
        requireEnd(byName, name, isOverridden);
        const holder = await accessOf(kubeconfigSecret.cluster).catch((error) => heldBy(name, kubeconfigSecret, error));
        const kubeconfig = await readSecret(name, kubeconfigSecret, holder, open);
        requireSelfContained(name, kubeconfig, access.context);
        kubeconfigs.set(name, kubeconfig);
        return { ...access, kubeconfig };
    };
    const accessOf = (name: string): Promise<ClusterAccess> => {
        const target = byName.get(name);
        const access = known.get(name) ?? (target ? resolve(target) : Promise.reject(unknownCluster(name)));
        known.set(name, access);
        return access;
    };
    return { accessOf, kubeconfigs };
}

/** Walks the references before anything waits for another, because promises in a circle wait forever. */
function requireEnd(byName: ReadonlyMap<string, Target>, name: string, isOverridden: (name: string) => boolean): void {
    const passed = [name];
    let current = byName.get(name);
    while (current?.kubeconfigSecret && !isOverridden(current.name)) {
        const next = current.kubeconfigSecret.cluster;
        if (passed.includes(next)) {
            throw configError(
                name,
                `its kubeconfigSecret leads back to itself: ${[...passed, next].join(" → ")}`,
                "Give one of these clusters a kubeconfig of its own",
            );
        }
        if (!byName.has(next)) {
            throw configError(
                name,
                `its kubeconfigSecret is in cluster ${next}, which is not in this mesh`,
                "Correct kubeconfigSecret.cluster, or add that cluster",
            );
        }
        passed.push(next);
        current = byName.get(next);
    }
}

async function readSecret(
    name: string,
    { cluster, namespace, name: secret, key }: SecretReference,
    holder: ClusterAccess,
    open: (access: ClusterAccess) => Promise<KubeClient>,
): Promise<string> {
    const reference = { cluster, namespace, name: secret, key };
    const client = await open(holder).catch((error) => heldBy(name, reference, error));
    try {
        const data = await client
            .getSecret(namespace, secret)
            .catch((error) => heldBy(name, reference, error, isOfSecret(error)));
        const kubeconfig = Object.hasOwn(data, key) ? data[key] : undefined;
        if (kubeconfig?.trim()) return kubeconfig;
        throw configError(
            name,
            `the Secret ${namespace}/${secret} in cluster ${cluster} has nothing under the key ${JSON.stringify(key)}`,
            "Correct kubeconfigSecret.key (Cluster API uses `value`)",
        );
    } finally {
        await client.close();
    }
}

/**
 * The failure of the holder, told from the point of view of the cluster that needs it: silent or unusable as the holder
 * is, and named as the root unless the holder is fine and only this Secret is not there or not ours to read.
 */
function heldBy(
    name: string,
    { cluster, namespace, name: secret }: SecretReference,
    error: unknown,
    isHolderFine = false,
): never {
    if (!(error instanceof KubeError)) throw error;
    throw new KubeError({
        kind: error.kind,
        cluster: name,
        message: `cluster ${name}: its kubeconfig is the Secret ${namespace}/${secret} in cluster ${cluster}, which could not be read: ${error.message}`,
        fix: error.fix,
        cause: error,
        ...(isHolderFine ? {} : { holder: error.holder ?? cluster }),
        ...(error.status === undefined ? {} : { status: error.status }),
        ...(error.network === undefined ? {} : { network: error.network }),
    });
}

/** The cluster answered, and said something about this one Secret. */
const isOfSecret = (error: unknown): boolean =>
    error instanceof KubeError && (error.kind === "not-found" || error.kind === "forbidden");

const unknownCluster = (name: string): KubeError =>
    configError(name, "there is no such cluster", "Add it to `clusters`");
