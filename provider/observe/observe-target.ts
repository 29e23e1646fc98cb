import type { ClusterSpec } from "../mesh/types";
import type { ObserveTarget } from "./observe-clusters";

/** How to observe a cluster, from its arguments. */
export function observeTarget(spec: ClusterSpec): ObserveTarget {
    const { name, kubeconfig, context, local, kubeconfigSecret, nodeSelector } = spec;
    return {
        name,
        access: {
            cluster: name,
            ...(kubeconfig === undefined ? {} : { kubeconfig }),
            ...(context === undefined ? {} : { context }),
            ...(local === undefined ? {} : { local }),
        },
        ...(kubeconfigSecret === undefined ? {} : { kubeconfigSecret }),
        ...(nodeSelector === undefined ? {} : { nodeSelector }),
    };
}
