import { ClusterMesh } from "pulumi-kilo-clustermesh";

/** Kubeconfigs of the other members, as Secrets in the cluster that runs this program. */
const kubeconfigSecret = (name: string) => ({
    cluster: "platform",
    namespace: "mesh",
    name: `${name}-kubeconfig`,
    key: "value",
});

const mesh = new ClusterMesh("fleet", {
    // A run that nobody watches should say by its exit code that a cluster did not answer.
    onUnreachable: "fail",
    clusters: [
        { name: "platform", local: true, podCIDRs: ["10.16.0.0/16"], serviceCIDR: "172.16.0.0/20" },
        { name: "blue", kubeconfigSecret: kubeconfigSecret("blue"), podCIDRs: ["10.17.0.0/16"] },
        { name: "green", kubeconfigSecret: kubeconfigSecret("green"), podCIDRs: ["10.18.0.0/16"] },
    ],
});

export const peers = mesh.peers;
export const skippedNodes = mesh.skippedNodes;
export const unreachable = mesh.unreachable;
