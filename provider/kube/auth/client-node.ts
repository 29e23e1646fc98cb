/** What is used of the Kubernetes client. In our own words, so that our published types do not need the package. */
export interface ClientNode {
    readonly KubeConfig: new () => {
        loadFromOptions(options: unknown): void;
        applyToHTTPSOptions(request: { headers?: Record<string, string> }): Promise<void>;
    };
}

export const CLIENT_NODE = "@kubernetes/client-node";

/**
 * The Kubernetes client is an ES module of 0.8 s start-up and 70 MB; users install it only when a kubeconfig needs its
 * token refresh, and only then it is loaded. In a file of its own, so that tests can load it their way.
 */
export const loadClientNode = async (): Promise<ClientNode> => import("@kubernetes/client-node") as Promise<ClientNode>;
