import { readFile } from "node:fs/promises";
import path from "node:path";
import { configError } from "../errors/kube-error";
import { DECODE, looksEncoded } from "./encoded";
import type { Surroundings } from "./surroundings";

/** How a cluster is reached. `kubeconfig` is a secret: its content may carry keys and tokens. */
export interface ClusterAccess {
    readonly cluster: string;
    /** Content of a kubeconfig, or the path of one (`~` is the home directory). */
    readonly kubeconfig?: string;
    readonly context?: string;
    /** The service account we run under, else the default kubeconfig. */
    readonly local?: boolean;
}

/** Text of kubeconfigs, the first one wins; relative paths in one are relative to its directory. */
export interface KubeconfigText {
    readonly text: string;
    readonly directory: string;
}

export interface KubeconfigSource {
    readonly texts: readonly KubeconfigText[];
    readonly context?: string;
    /** The text came from the environment: a context of the recorded kubeconfig may be missing in it. */
    readonly override?: boolean;
}

/** `KILO_CLUSTERMESH_KUBECONFIG_<CLUSTER>`: replaces recorded credentials at call time, for instance at destroy. */
export const overrideVariable = (cluster: string): string =>
    `KILO_CLUSTERMESH_KUBECONFIG_${cluster.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;

export const hasOverride = (cluster: string, { env }: Surroundings): boolean => Boolean(env[overrideVariable(cluster)]);

export async function findKubeconfig(
    access: ClusterAccess,
    surroundings: Surroundings,
): Promise<KubeconfigSource | "in-cluster"> {
    const { cluster, context } = access;
    const chosen = context === undefined ? {} : { context };
    const variable = overrideVariable(cluster);
    const override = surroundings.env[variable];
    if (override) {
        return { texts: [await contentOrFile(cluster, override, variable, surroundings)], override: true, ...chosen };
    }
    if (access.kubeconfig !== undefined) {
        return { texts: [await contentOrFile(cluster, access.kubeconfig, "kubeconfig", surroundings)], ...chosen };
    }
    if (!access.local) {
        throw configError(
            cluster,
            "nothing says how to reach it",
            "Give the cluster `kubeconfig` (content or path), `kubeconfigSecret`, or `local: true`",
        );
    }
    // A named context can only be meant for a kubeconfig.
    if (context === undefined && (await runsInCluster(surroundings))) return "in-cluster";
    return { texts: await defaultKubeconfigs(cluster, surroundings), ...chosen };
}

async function contentOrFile(
    cluster: string,
    value: string,
    given: string,
    surroundings: Surroundings,
): Promise<KubeconfigText> {
    const trimmed = value.trim();
    if (trimmed === "") {
        throw configError(cluster, `${given} is empty`, "Give the content of a kubeconfig, or the path of one");
    }
    if (looksEncoded(trimmed)) throw configError(cluster, `${given} looks base64-encoded`, DECODE);
    if (trimmed.includes("\n") || trimmed.startsWith("{")) return { text: value, directory: process.cwd() };
    return readKubeconfig(cluster, expandHome(trimmed, surroundings), given);
}

const expandHome = (file: string, { home }: Surroundings): string =>
    path.resolve(file === "~" || /^~[/\\]/.test(file) ? path.join(home, file.slice(1)) : file);

async function readKubeconfig(cluster: string, file: string, given: string): Promise<KubeconfigText> {
    try {
        return { text: await readFile(file, "utf8"), directory: path.dirname(file) };
    } catch (error) {
        // The value is not repeated: what was taken for a path may be a token or an encoded kubeconfig.
        const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
        throw configError(
            cluster,
            `${given} was taken for the path of a file, which could not be read (${code})`,
            "Check the path and its permissions; content of a kubeconfig must be YAML or JSON, not encoded",
        );
    }
}

async function runsInCluster({ env, serviceAccountDirectory }: Surroundings): Promise<boolean> {
    if (!env.KUBERNETES_SERVICE_HOST || !env.KUBERNETES_SERVICE_PORT) return false;
    return readFile(path.join(serviceAccountDirectory, "token")).then(
        () => true,
        () => false,
    );
}

/** As kubectl does: every file of KUBECONFIG that exists, else ~/.kube/config. One that exists must be readable. */
async function defaultKubeconfigs(cluster: string, surroundings: Surroundings): Promise<KubeconfigText[]> {
    const listed = (surroundings.env.KUBECONFIG ?? "").split(path.delimiter).filter((file) => file !== "");
    const files = listed.length > 0 ? listed : [path.join(surroundings.home, ".kube", "config")];
    const texts: KubeconfigText[] = [];
    for (const [at, file] of files.entries()) {
        const absolute = path.resolve(file);
        const text = await readFile(absolute, "utf8").catch((error: NodeJS.ErrnoException) => {
            if (error.code === "ENOENT") return undefined;
            const which = listed.length > 0 ? `file ${at + 1} of ${listed.length} in KUBECONFIG` : "~/.kube/config";
            throw configError(
                cluster,
                `local: true, but ${which} cannot be read (${error.code ?? "unknown error"})`,
                "Correct KUBECONFIG or the permissions of the file, or give the cluster a `kubeconfig`",
            );
        });
        if (text !== undefined) texts.push({ text, directory: path.dirname(absolute) });
    }
    if (texts.length > 0) return texts;
    throw configError(
        cluster,
        `local: true, but this is not a pod with a service account, and ${
            listed.length > 0 ? "no file that KUBECONFIG names exists" : "there is no ~/.kube/config"
        }`,
        "Set KUBECONFIG, or give the cluster a `kubeconfig`",
    );
}
