import * as pulumi from "@pulumi/pulumi";
import { ClusterMesh } from "pulumi-kilo-clustermesh";

const config = new pulumi.Config();

const mesh = new ClusterMesh("pair", {
    clusters: [
        {
            name: "amsterdam",
            kubeconfig: config.requireSecret("amsterdamKubeconfig"),
            podCIDRs: ["10.16.0.0/16"],
            serviceCIDR: "172.16.0.0/20",
        },
        {
            name: "berlin",
            kubeconfig: config.requireSecret("berlinKubeconfig"),
            podCIDRs: ["10.17.0.0/16"],
            serviceCIDR: "172.16.16.0/20",
        },
    ],
});

export const peers = mesh.peers;
export const skippedNodes = mesh.skippedNodes;
