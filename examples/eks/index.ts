import { ClusterMesh } from "pulumi-kilo-clustermesh";
import { MeshedCluster } from "./cluster";

const regions = {
    frankfurt: {
        region: "eu-central-1",
        podCIDR: "10.64.0.0/16",
        serviceCIDR: "10.100.0.0/16",
        wireguardCIDR: "10.4.0.0/16",
    },
    virginia: {
        region: "us-east-1",
        podCIDR: "10.65.0.0/16",
        serviceCIDR: "10.101.0.0/16",
        wireguardCIDR: "10.5.0.0/16",
    },
} as const;

const clusters = Object.entries(regions).map(([name, args]) => ({ name, args, made: new MeshedCluster(name, args) }));

const mesh = new ClusterMesh(
    "eks",
    {
        clusters: clusters.map(({ name, args, made }) => ({
            name,
            kubeconfig: made.kubeconfig,
            podCIDRs: [args.podCIDR],
            serviceCIDR: args.serviceCIDR,
            wireguardCIDR: args.wireguardCIDR,
        })),
        // Kilo needs a moment on new nodes.
        waitForNodes: 300,
    },
    { dependsOn: clusters.flatMap(({ made }) => made.ready) },
);

export const peers = mesh.peers;
export const issues = mesh.issues;
