import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import path from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { configError } from "../errors/kube-error";
import { type ClusterAccess, findKubeconfig } from "./access";
import { authProviderHeaders } from "./auth-provider";
import { type ExecCredential, runExecPlugin } from "./exec-plugin";
import { impersonation } from "./impersonation";
import { type KubeconfigCluster, type KubeconfigEntry, type KubeconfigUser, readKubeconfigEntry } from "./kubeconfig";
import type { Surroundings } from "./surroundings";

export interface TlsSettings {
    readonly ca?: Buffer;
    readonly cert?: Buffer;
    readonly key?: Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized: boolean;
    /** All of the above that every connection needs, read once: parsing certificates costs as much as a handshake. */
    readonly secureContext: SecureContext;
}

/** Everything needed to talk to one API server. All of it is secret but `server`. */
export interface Credentials {
    readonly server: URL;
    readonly tls: TlsSettings;
    readonly headers: Readonly<Record<string, string | string[]>>;
    readonly proxyUrl?: string;
    /** Milliseconds since the epoch, when the source of the credentials said so. */
    readonly expiresAt?: number;
    /** Strings that must not show up in any message. */
    readonly secrets: readonly string[];
    /** What may explain a refusal, in words for the user. */
    readonly hint?: string;
}

export interface CredentialOptions {
    readonly surroundings: Surroundings;
    readonly timeoutSeconds: number;
    readonly now: () => number;
}

export async function resolveCredentials(access: ClusterAccess, options: CredentialOptions): Promise<Credentials> {
    const source = await findKubeconfig(access, options.surroundings);
    const entry =
        source === "in-cluster" ? inClusterEntry(options.surroundings) : readKubeconfigEntry(access.cluster, source);
    const { cluster, user } = entry;
    const server = serverUrl(access.cluster, cluster);
    const plugin = user.exec ? await runExecPlugin(access.cluster, user.exec, cluster, options) : undefined;
    const tls = await tlsSettings(access.cluster, entry, plugin);
    const token = await bearerToken(access.cluster, user, plugin);
    const headers = {
        ...(user["auth-provider"] ? await authProviderHeaders(access.cluster, user["auth-provider"], options) : {}),
        ...authorization(user, token),
        ...impersonation(access.cluster, user),
    };
    const proxyUrl = cluster["proxy-url"];
    const hint = expiredCertificate(tls.cert, options.now());
    return {
        server,
        tls,
        headers,
        secrets: [token, user.password, ...Object.values(headers).flat()].filter((each) => typeof each === "string"),
        ...(proxyUrl ? { proxyUrl } : {}),
        ...(plugin?.expiresAt === undefined ? {} : { expiresAt: plugin.expiresAt }),
        ...(hint === undefined ? {} : { hint }),
    };
}

function inClusterEntry({ env, serviceAccountDirectory }: Surroundings): KubeconfigEntry {
    const host = env.KUBERNETES_SERVICE_HOST ?? "";
    return {
        cluster: {
            server: `https://${isIPv6(host) ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT}`,
            "certificate-authority": path.join(serviceAccountDirectory, "ca.crt"),
        },
        user: { tokenFile: path.join(serviceAccountDirectory, "token") },
    };
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function serverUrl(name: string, cluster: KubeconfigCluster): URL {
    const url = URL.canParse(cluster.server) ? new URL(cluster.server) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
        throw configError(
            name,
            "the server in its kubeconfig is not an http(s) address",
            "Correct clusters[].cluster.server, for instance https://203.0.113.10:6443",
        );
    }
    if (url.protocol === "http:" && !LOOPBACK.test(url.hostname) && !cluster["insecure-skip-tls-verify"]) {
        throw configError(
            name,
            "the server in its kubeconfig has no TLS, which would send credentials and keys in the clear",
            "Use the https:// address of the API server",
        );
    }
    return url;
}

async function tlsSettings(
    name: string,
    { cluster, user }: KubeconfigEntry,
    plugin: ExecCredential | undefined,
): Promise<TlsSettings> {
    const ca = await fileOrData(name, cluster, "certificate-authority");
    const cert = plugin?.cert ?? (await fileOrData(name, user, "client-certificate"));
    const key = plugin?.key ?? (await fileOrData(name, user, "client-key"));
    const insecure = cluster["insecure-skip-tls-verify"] === true;
    const servername = cluster["tls-server-name"];
    const tls = {
        rejectUnauthorized: !insecure,
        ...(ca && !insecure ? { ca } : {}),
        ...(cert ? { cert } : {}),
        ...(key ? { key } : {}),
        ...(servername ? { servername } : {}),
    };
    try {
        return { ...tls, secureContext: createSecureContext(tls) };
    } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? "not PEM";
        throw configError(
            name,
            `the CA, client certificate or client key in its kubeconfig cannot be used (${code})`,
            "Export the kubeconfig again; certificate and key must be PEM and belong together",
        );
    }
}

type FileField = "certificate-authority" | "client-certificate" | "client-key";
type FileFields = { readonly [F in FileField | `${FileField}-data`]?: string | null | undefined };

/** Embedded data wins over a file, as in kubectl. */
async function fileOrData(name: string, holder: FileFields, field: FileField): Promise<Buffer | undefined> {
    const data = holder[`${field}-data`];
    if (data) return Buffer.from(data, "base64");
    const file = holder[field];
    return file ? readNamedFile(name, file, field) : undefined;
}

async function readNamedFile(name: string, file: string, field: string): Promise<Buffer> {
    try {
        return await readFile(file);
    } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
        throw configError(
            name,
            `the file that ${field} in its kubeconfig names cannot be read (${code})`,
            "Restore the file, or embed it with `kubectl config view --raw --minify --flatten`",
        );
    }
}

async function bearerToken(
    name: string,
    user: KubeconfigUser,
    plugin: ExecCredential | undefined,
): Promise<string | undefined> {
    const fromFile = user.tokenFile ? await readNamedFile(name, user.tokenFile, "tokenFile") : undefined;
    const token = (fromFile?.toString("utf8") || user.token || plugin?.token)?.trim();
    if (token && !/^[\x21-\x7e]+$/.test(token)) {
        throw configError(name, "the token in its kubeconfig has characters no token can have", "Renew the token");
    }
    return token || undefined;
}

function authorization(user: KubeconfigUser, token: string | undefined): Record<string, string> {
    if (token) return { authorization: `Bearer ${token}` };
    if (!user.username) return {};
    const pair = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
    return { authorization: `Basic ${pair}` };
}

function expiredCertificate(cert: Buffer | undefined, now: number): string | undefined {
    if (cert === undefined) return undefined;
    const until = Date.parse(new X509Certificate(cert).validTo);
    return until < now ? `its client certificate expired on ${new Date(until).toISOString().slice(0, 10)}` : undefined;
}
