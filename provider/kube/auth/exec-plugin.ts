import { execFile } from "node:child_process";
import path from "node:path";
import { z } from "zod";
import type { Fix } from "../../values/fix";
import { configError, KubeError } from "../errors/kube-error";
import { cleanText } from "../errors/redact";
import type { CredentialOptions } from "./credentials";
import type { ExecPlugin, KubeconfigCluster } from "./kubeconfig";

export interface ExecCredential {
    readonly token?: string;
    readonly cert?: Buffer;
    readonly key?: Buffer;
    /** Milliseconds since the epoch. */
    readonly expiresAt?: number;
}

const answerSchema = z.object({
    status: z.object({
        token: z.string().optional(),
        clientCertificateData: z.string().optional(),
        clientKeyData: z.string().optional(),
        expirationTimestamp: z.string().optional(),
    }),
});

/**
 * Runs the credential plugin of a kubeconfig (`aws eks get-token`, `kubelogin`, …). Our own few lines, because a plugin
 * that hangs must not hang the run, and because many need KUBERNETES_EXEC_INFO.
 */
export async function runExecPlugin(
    cluster: string,
    plugin: ExecPlugin,
    target: KubeconfigCluster,
    { surroundings, timeoutSeconds }: CredentialOptions,
): Promise<ExecCredential> {
    const command = cleanText(path.basename(plugin.command), [], 60);
    if (plugin.interactiveMode === "Always") {
        throw configError(
            cluster,
            `its credential plugin ${command} wants a terminal`,
            "Use a plugin that works without a terminal",
        );
    }
    const env: Record<string, string | undefined> = { ...surroundings.env };
    for (const { name, value } of plugin.env ?? []) env[name] = value;
    env.KUBERNETES_EXEC_INFO = execInfo(plugin, target);
    const words = [plugin.command, ...(plugin.args ?? []), ...Object.entries(env).flat()];
    if (words.some((word) => word?.includes("\0"))) {
        throw configError(
            cluster,
            "its credential plugin has a NUL character in its command, arguments or environment",
            "Correct users[].user.exec in the kubeconfig",
        );
    }
    const output = await new Promise<string>((resolve, reject) => {
        const options = {
            env,
            timeout: timeoutSeconds * 1000,
            killSignal: "SIGKILL",
            maxBuffer: 1 << 20,
            windowsHide: true,
        } as const;
        try {
            const child = execFile(plugin.command, plugin.args ?? [], options, (error, stdout, stderr) => {
                if (error === null) resolve(stdout);
                else if (error.code === "ENOENT") reject(pluginMissing(cluster, command));
                else reject(pluginFailed(cluster, command, whyFailed(error, stderr, timeoutSeconds)));
            });
            child.stdin?.end();
        } catch (error) {
            // Node's words may quote arguments.
            const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
            reject(pluginFailed(cluster, command, `could not be started (${code})`));
        }
    });
    return readAnswer(cluster, command, output);
}

function execInfo(plugin: ExecPlugin, target: KubeconfigCluster): string {
    const cluster = {
        server: target.server,
        "tls-server-name": target["tls-server-name"] ?? undefined,
        "insecure-skip-tls-verify": target["insecure-skip-tls-verify"] ?? undefined,
        "certificate-authority-data": target["certificate-authority-data"] ?? undefined,
        "proxy-url": target["proxy-url"] ?? undefined,
    };
    const spec = { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) };
    return JSON.stringify({ apiVersion: plugin.apiVersion, kind: "ExecCredential", spec });
}

function whyFailed(error: Error & { code?: unknown; killed?: boolean }, stderr: string, seconds: number): string {
    if (error.killed) return `did not finish within ${seconds} s`;
    const said = cleanText(stderr, [], 300);
    return `failed (${typeof error.code === "number" ? `exit code ${error.code}` : "killed"})${said ? `: ${said}` : ""}`;
}

function readAnswer(cluster: string, command: string, output: string): ExecCredential {
    const parsed = answerSchema.safeParse(parseJson(output));
    if (!parsed.success) throw pluginFailed(cluster, command, "did not print an ExecCredential");
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.data.status;
    if (!token && !clientCertificateData) throw pluginFailed(cluster, command, "gave neither token nor certificate");
    const expiresAt = Date.parse(expirationTimestamp ?? "");
    return {
        ...(token ? { token } : {}),
        ...(clientCertificateData ? { cert: Buffer.from(clientCertificateData) } : {}),
        ...(clientKeyData ? { key: Buffer.from(clientKeyData) } : {}),
        ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
    };
}

function parseJson(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

const pluginMissing = (cluster: string, command: string): KubeError =>
    pluginFailed(cluster, command, "was not found", `Install ${command} on this machine, or add its directory to PATH`);

const pluginFailed = (
    cluster: string,
    command: string,
    what: string,
    fix: Fix = `Run ${command} by hand as this user on this machine, log in again if it asks to, then retry`,
): KubeError =>
    new KubeError({
        kind: "unauthorized",
        cluster,
        message: `cluster ${cluster}: the credential plugin ${command} of its kubeconfig ${what}`,
        fix,
    });
