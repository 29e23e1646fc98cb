import * as pulumi from "@pulumi/pulumi";
import { ClusterMesh } from "pulumi-kilo-clustermesh";

const config = new pulumi.Config();

const mesh = new ClusterMesh("edge", {
    // Two clusters behind NAT cannot dial each other: everything goes through the hub's public addresses.
    topology: { hubs: ["hub"] },
    clusters: [
        {
            name: "hub",
            kubeconfig: config.requireSecret("hubKubeconfig"),
            podCIDRs: ["10.16.0.0/16"],
            serviceCIDR: "172.16.0.0/20",
        },
        {
            name: "shop",
            kubeconfig: config.requireSecret("shopKubeconfig"),
            podCIDRs: ["10.17.0.0/16"],
            nat: true,
        },
        {
            name: "depot",
            kubeconfig: config.requireSecret("depotKubeconfig"),
            podCIDRs: ["10.18.0.0/16"],
            nat: true,
        },
    ],
});

export const peers = mesh.peers;
export const skippedNodes = mesh.skippedNodes;
export const issues = mesh.issues;
