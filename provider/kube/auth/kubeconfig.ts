import path from "node:path";
import { z } from "zod";
import { configError } from "../errors/kube-error";
import type { KubeconfigSource, KubeconfigText } from "./access";
import { DECODE, looksEncoded } from "./encoded";
import { parseYaml } from "./kubeconfig-yaml";

const text = z.string().nullish();
const clusterSchema = z.object({
    server: z.string().min(1),
    "certificate-authority": text,
    "certificate-authority-data": text,
    "insecure-skip-tls-verify": z.boolean().nullish(),
    "tls-server-name": text,
    "proxy-url": text,
});
const execSchema = z.object({
    apiVersion: z.string(),
    command: z.string().min(1),
    args: z.array(z.string()).nullish(),
    env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
    provideClusterInfo: z.boolean().nullish(),
    interactiveMode: text,
});
const userSchema = z.object({
    "client-certificate": text,
    "client-certificate-data": text,
    "client-key": text,
    "client-key-data": text,
    token: text,
    tokenFile: text,
    username: text,
    password: text,
    as: text,
    "as-uid": text,
    "as-groups": z.array(z.string()).nullish(),
    "as-user-extra": z.record(z.string(), z.array(z.string())).nullish(),
    "auth-provider": z.object({ name: z.string(), config: z.record(z.string(), z.unknown()).nullish() }).nullish(),
    exec: execSchema.nullish(),
});
const contextSchema = z.object({ cluster: z.string(), user: text });

export type KubeconfigCluster = z.infer<typeof clusterSchema>;
export type KubeconfigUser = z.infer<typeof userSchema>;
export type ExecPlugin = z.infer<typeof execSchema>;

/** One cluster and one user of a kubeconfig, with every file name absolute. */
export interface KubeconfigEntry {
    readonly cluster: KubeconfigCluster;
    readonly user: KubeconfigUser;
}

type Section = "clusters" | "users" | "contexts";
type Documents = readonly { readonly value: Readonly<Record<string, unknown>>; readonly directory: string }[];

/** Messages say which part is wrong and never what it contains. */
export function readKubeconfigEntry(cluster: string, source: KubeconfigSource): KubeconfigEntry {
    const documents = source.texts.map((each) => parse(cluster, each));
    const wanted = chooseContext(cluster, documents, source);
    const context = find(cluster, documents, "contexts", wanted, contextSchema);
    const found = find(cluster, documents, "clusters", context.value.cluster, clusterSchema);
    const user = context.value.user
        ? find(cluster, documents, "users", context.value.user, userSchema)
        : { value: {}, directory: process.cwd() };
    return { cluster: withAbsolutePaths(found.value, found.directory), user: userWithAbsolutePaths(user) };
}

/** The names of all contexts in one kubeconfig, in its order. */
export function contextNames(source: KubeconfigText): readonly string[] {
    const contexts = entriesOf([parse("", source)], "contexts");
    return contexts.flatMap(({ entry }) => (typeof entry.name === "string" ? [entry.name] : []));
}

const EXPORT = "Give a kubeconfig as `kubectl config view --raw --minify --flatten` prints it";

function parse(cluster: string, { text: content, directory }: KubeconfigText): Documents[number] {
    if (looksEncoded(content)) throw configError(cluster, "its kubeconfig looks base64-encoded", DECODE);
    const { value, line } = parseYaml(content);
    if (value === undefined) {
        throw configError(cluster, `its kubeconfig is not YAML${line === undefined ? "" : ` (line ${line})`}`, EXPORT);
    }
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        return { value: value as Record<string, unknown>, directory };
    }
    throw configError(cluster, "its kubeconfig is not a YAML mapping", EXPORT);
}

function chooseContext(cluster: string, documents: Documents, source: KubeconfigSource): string {
    const named = entriesOf(documents, "contexts").map(({ entry }) => entry.name);
    if (source.context !== undefined && named.includes(source.context)) return source.context;
    // An override with a single context can only mean that one, whatever it is called.
    if (source.override && named.length === 1 && typeof named[0] === "string") return named[0];
    if (source.context !== undefined) {
        throw configError(
            cluster,
            `its kubeconfig has no context ${JSON.stringify(source.context)}`,
            "Correct `context`, or leave it out to use the current context",
        );
    }
    for (const { value } of documents) {
        const current = value["current-context"];
        if (typeof current === "string" && current !== "") return current;
    }
    throw configError(
        cluster,
        "its kubeconfig has no current-context",
        "Set `context`, or add current-context to the kubeconfig",
    );
}

type Entry = Readonly<Record<string, unknown>>;

function entriesOf(documents: Documents, section: Section): { entry: Entry; directory: string }[] {
    return documents.flatMap(({ value, directory }) => {
        const entries: readonly unknown[] = Array.isArray(value[section]) ? value[section] : [];
        return entries
            .filter((entry): entry is Entry => typeof entry === "object" && entry !== null)
            .map((entry) => ({ entry, directory }));
    });
}

function find<T>(
    cluster: string,
    documents: Documents,
    section: Section,
    name: string,
    schema: z.ZodType<T>,
): { value: T; directory: string } {
    const kind = section.slice(0, -1);
    const match = entriesOf(documents, section).find(({ entry }) => entry.name === name);
    if (match === undefined) {
        throw configError(
            cluster,
            `its kubeconfig has no ${kind} of the name that ${kind === "context" ? "is current" : "the context asks for"}`,
            "Export the kubeconfig again with `kubectl config view --raw --minify --flatten`",
        );
    }
    const parsed = schema.safeParse(match.entry[kind] ?? {});
    if (parsed.success) return { value: parsed.data, directory: match.directory };
    const where = parsed.error.issues.map((issue) => issue.path.join(".")).sort();
    throw configError(
        cluster,
        `the ${kind} in its kubeconfig has no valid ${[...new Set(where)].join(", ")}`,
        "Export the kubeconfig again with `kubectl config view --raw --minify --flatten`",
    );
}

const absolute = (directory: string, file: string | null | undefined): string | undefined =>
    file ? path.resolve(directory, file) : undefined;

const withAbsolutePaths = (value: KubeconfigCluster, directory: string): KubeconfigCluster => ({
    ...value,
    "certificate-authority": absolute(directory, value["certificate-authority"]),
});

const userWithAbsolutePaths = ({ value, directory }: { value: KubeconfigUser; directory: string }): KubeconfigUser => ({
    ...value,
    "client-certificate": absolute(directory, value["client-certificate"]),
    "client-key": absolute(directory, value["client-key"]),
    tokenFile: absolute(directory, value.tokenFile),
    // A bare command is searched on PATH; one with a slash is relative to the kubeconfig.
    exec: value.exec && {
        ...value.exec,
        command: /[/\\]/.test(value.exec.command) ? path.resolve(directory, value.exec.command) : value.exec.command,
    },
});
