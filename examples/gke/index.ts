import { ClusterMesh } from "pulumi-kilo-clustermesh";
import { MeshedCluster } from "./cluster";

const zones = {
    belgium: {
        zone: "europe-west1-b",
        nodeCIDR: "10.8.0.0/24",
        podCIDR: "10.66.0.0/16",
        serviceCIDR: "10.102.0.0/20",
        wireguardCIDR: "10.4.0.0/16",
    },
    iowa: {
        zone: "us-central1-a",
        nodeCIDR: "10.8.1.0/24",
        podCIDR: "10.67.0.0/16",
        serviceCIDR: "10.102.16.0/20",
        wireguardCIDR: "10.5.0.0/16",
    },
} as const;

const clusters = Object.entries(zones).map(([name, args]) => ({ name, args, made: new MeshedCluster(name, args) }));

const mesh = new ClusterMesh(
    "gke",
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
