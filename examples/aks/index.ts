import { ClusterMesh } from "pulumi-kilo-clustermesh";
import { MeshedCluster } from "./cluster";

const locations = {
    netherlands: {
        location: "westeurope",
        podCIDR: "10.68.0.0/16",
        serviceCIDR: "10.103.0.0/20",
        dnsServiceIP: "10.103.0.10",
        wireguardCIDR: "10.4.0.0/16",
    },
    texas: {
        location: "southcentralus",
        podCIDR: "10.69.0.0/16",
        serviceCIDR: "10.103.16.0/20",
        dnsServiceIP: "10.103.16.10",
        wireguardCIDR: "10.5.0.0/16",
    },
} as const;

const clusters = Object.entries(locations).map(([name, args]) => ({ name, args, made: new MeshedCluster(name, args) }));

const mesh = new ClusterMesh(
    "aks",
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
