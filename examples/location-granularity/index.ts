import * as pulumi from "@pulumi/pulumi";
import { ClusterMesh } from "pulumi-kilo-clustermesh";

const config = new pulumi.Config();

// Nothing here says which cluster has locations: the granularity is read from the nodes.
const mesh = new ClusterMesh("regions", {
    clusters: [
        { name: "fleet", kubeconfig: config.requireSecret("fleetKubeconfig"), podCIDRs: ["10.16.0.0/16"] },
        { name: "core", kubeconfig: config.requireSecret("coreKubeconfig"), podCIDRs: ["10.17.0.0/16"] },
    ],
});

export const peers = mesh.peers;
export const skippedNodes = mesh.skippedNodes;
export const capacity = mesh.capacity;
