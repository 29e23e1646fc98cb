/** A kubeconfig as we keep it: text or a path as given, JSON for an object. What is neither stays, to be found wrong. */
export const kubeconfigText = (kubeconfig: string | object): string =>
    typeof kubeconfig === "object" && kubeconfig !== null ? JSON.stringify(kubeconfig) : kubeconfig;
