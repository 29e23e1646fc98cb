/**
 * The Kubernetes client is an ES module of 0.8 s start-up and 70 MB; it is loaded only when a kubeconfig needs its
 * token refresh. In a file of its own, so that tests can load it their way.
 */
export const loadClientNode = (): Promise<
    typeof import("@kubernetes/client-node", { with: { "resolution-mode": "import" }})
> => import("@kubernetes/client-node");
