import * as pulumi from "@pulumi/pulumi";
import { ClusterMesh } from "pulumi-kilo-clustermesh";

const config = new pulumi.Config();

// The names and networks of the operator's ClusterMesh object: peers are found by labels and names made of these.
const mesh = new ClusterMesh("office", {
    meshName: "my-mesh",
    adopt: config.requireBoolean("adopt"),
    clusters: [
        {
            name: "east",
            kubeconfig: config.requireSecret("eastKubeconfig"),
            allowedNetworks: ["10.16.0.0/16", "100.64.0.0/16", "172.16.0.0/20"],
        },
        {
            name: "west",
            kubeconfig: config.requireSecret("westKubeconfig"),
            allowedNetworks: ["10.17.0.0/16", "100.65.0.0/16", "172.16.16.0/20"],
        },
    ],
});

export const peers = mesh.peers;
export const skippedNodes = mesh.skippedNodes;
