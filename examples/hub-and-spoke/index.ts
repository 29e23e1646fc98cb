import * as pulumi from "@pulumi/pulumi";
import { ClusterMesh } from "pulumi-kilo-clustermesh";

interface Spoke {
    readonly name: string;
    /** A path: what `pulumi config` holds in clear should not be a credential. */
    readonly kubeconfig: string;
    readonly podCIDR: string;
}

const config = new pulumi.Config();
const spokes = config.requireObject<Spoke[]>("spokes");

const mesh = new ClusterMesh("star", {
    topology: { hubs: ["hub"] },
    clusters: [
        {
            name: "hub",
            kubeconfig: config.requireSecret("hubKubeconfig"),
            podCIDRs: ["10.16.0.0/16"],
            serviceCIDR: "172.16.0.0/20",
        },
        ...spokes.map(({ name, kubeconfig, podCIDR }) => ({ name, kubeconfig, podCIDRs: [podCIDR] })),
    ],
});

export const peers = mesh.peers;
export const skippedNodes = mesh.skippedNodes;
