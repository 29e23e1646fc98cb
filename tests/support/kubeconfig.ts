/** What a test may want to say in a kubeconfig; `undefined` fields are left out. */
export interface KubeconfigOptions {
    readonly server?: string | undefined;
    readonly token?: string | undefined;
    /** PEM. */
    readonly ca?: string | undefined;
    readonly context?: string;
    readonly cluster?: Readonly<Record<string, unknown>>;
    readonly user?: Readonly<Record<string, unknown>>;
}

/** The text of a kubeconfig with one cluster, one user and one context. */
export function kubeconfigFor(options: KubeconfigOptions): string {
    const { server, token, ca, context = "main" } = options;
    const cluster = {
        server,
        "certificate-authority-data": ca === undefined ? undefined : Buffer.from(ca).toString("base64"),
        ...options.cluster,
    };
    return JSON.stringify(
        {
            apiVersion: "v1",
            kind: "Config",
            "current-context": context,
            clusters: [{ name: "there", cluster }],
            users: [{ name: "me", user: { token, ...options.user } }],
            contexts: [{ name: context, context: { cluster: "there", user: "me" } }],
        },
        undefined,
        2,
    );
}
