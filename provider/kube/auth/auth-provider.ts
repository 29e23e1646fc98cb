import { configError, KubeError } from "../errors/kube-error";
import { CLIENT_NODE, loadClientNode } from "./client-node";
import type { CredentialOptions } from "./credentials";
import type { KubeconfigUser } from "./kubeconfig";

type AuthProvider = NonNullable<KubeconfigUser["auth-provider"]>;

/** The `auth-provider` kinds (oidc, gcp, azure), which the Kubernetes client knows how to refresh. */
export async function authProviderHeaders(
    cluster: string,
    authProvider: AuthProvider,
    { timeoutSeconds }: CredentialOptions,
): Promise<Record<string, string>> {
    const name = "only";
    const { KubeConfig } = await loadClientNode().catch((error: NodeJS.ErrnoException) => {
        throw error.code === "ERR_MODULE_NOT_FOUND" ? notInstalled(cluster) : error;
    });
    const config = new KubeConfig();
    config.loadFromOptions({
        clusters: [{ name, server: "https://unused.invalid", skipTLSVerify: false }],
        users: [{ name, authProvider }],
        contexts: [{ name, cluster: name, user: name }],
        currentContext: name,
    });
    const request: { headers?: Record<string, string> } = {};
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(failed(cluster, authProvider.name)), timeoutSeconds * 1000);
    });
    try {
        await Promise.race([config.applyToHTTPSOptions(request), late]);
    } catch {
        // What the provider throws can quote tokens and answers of the identity provider.
        throw failed(cluster, authProvider.name);
    } finally {
        clearTimeout(timer);
    }
    const header = request.headers?.Authorization;
    if (!header || /[^\x20-\x7e]/.test(header)) throw failed(cluster, authProvider.name);
    return { authorization: header };
}

const notInstalled = (cluster: string): KubeError =>
    configError(
        cluster,
        `its kubeconfig has an auth-provider, which needs the package ${CLIENT_NODE}, and that is not installed`,
        `Run \`npm install ${CLIENT_NODE}@1\` in the project, or use a kubeconfig with an exec plugin or a token`,
    );

const failed = (cluster: string, provider: string): KubeError =>
    new KubeError({
        kind: "unauthorized",
        cluster,
        message: `cluster ${cluster}: the auth-provider ${/^[\w-]{1,30}$/.test(provider) ? provider : "(unnamed)"} of its kubeconfig gave no token`,
        fix: "Log in again with the tool of your identity provider, then retry",
    });
