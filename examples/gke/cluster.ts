import * as gcp from "@pulumi/gcp";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Kilo } from "./kilo";
import { MeshAccount } from "./mesh-account";

export interface MeshedClusterArgs {
    readonly zone: string;
    readonly nodeCIDR: string;
    readonly podCIDR: string;
    readonly serviceCIDR: string;
    readonly wireguardCIDR: string;
}

/** A GKE cluster in a network of its own, its nodes with Kilo on them, and the account that the mesh uses. */
export class MeshedCluster extends pulumi.ComponentResource {
    /** Of the least-privilege account. */
    readonly kubeconfig: pulumi.Output<string>;
    /** What must be there before the mesh looks at the nodes. */
    readonly ready: readonly pulumi.Resource[];

    constructor(name: string, args: MeshedClusterArgs, opts?: pulumi.ComponentResourceOptions) {
        super("examples:index:MeshedCluster", name, {}, opts);
        const here = { parent: this };
        const network = new gcp.compute.Network(name, { autoCreateSubnetworks: false }, here);
        const subnetwork = new gcp.compute.Subnetwork(
            name,
            {
                network: network.id,
                region: args.zone.replace(/-[a-z]$/, ""),
                ipCidrRange: args.nodeCIDR,
                secondaryIpRanges: [
                    { rangeName: "pods", ipCidrRange: args.podCIDR },
                    { rangeName: "services", ipCidrRange: args.serviceCIDR },
                ],
            },
            here,
        );
        const tags = [`${name}-mesh`];
        const firewall = new gcp.compute.Firewall(
            name,
            {
                network: network.id,
                description: "WireGuard, from the nodes of the other clusters",
                allows: [{ protocol: "udp", ports: ["51820"] }],
                sourceRanges: ["0.0.0.0/0"],
                targetTags: tags,
            },
            here,
        );
        const cluster = new gcp.container.Cluster(
            name,
            {
                location: args.zone,
                network: network.id,
                subnetwork: subnetwork.id,
                // Every node gets a part of the range as its pod CIDR, which Kilo needs.
                ipAllocationPolicy: { clusterSecondaryRangeName: "pods", servicesSecondaryRangeName: "services" },
                // The data plane without eBPF: the other one ignores Kilo's routes.
                datapathProvider: "LEGACY_DATAPATH",
                initialNodeCount: 1,
                removeDefaultNodePool: true,
                deletionProtection: false,
            },
            here,
        );
        const nodes = new gcp.container.NodePool(
            name,
            {
                cluster: cluster.id,
                nodeCount: 2,
                nodeConfig: {
                    machineType: "e2-standard-2",
                    // Its kernel has WireGuard.
                    imageType: "UBUNTU_CONTAINERD",
                    oauthScopes: ["https://www.googleapis.com/auth/cloud-platform"],
                    tags,
                },
            },
            here,
        );
        const server = pulumi.interpolate`https://${cluster.endpoint}`;
        const provider = new k8s.Provider(name, { kubeconfig: adminKubeconfig(server, cluster) }, here);
        const kilo = new Kilo(name, { provider, cni: false, subnet: args.wireguardCIDR }, { parent: this });
        this.kubeconfig = new MeshAccount(name, { provider, server }, { parent: this }).kubeconfig;
        this.ready = [nodes, kilo, firewall];
        this.registerOutputs({ kubeconfig: this.kubeconfig });
    }
}

/** It signs in as whoever runs the program, by Google's plugin for kubectl. */
const adminKubeconfig = (server: pulumi.Output<string>, cluster: gcp.container.Cluster): pulumi.Output<string> =>
    pulumi.all([server, cluster.masterAuth]).apply(([address, auth]) =>
        JSON.stringify({
            apiVersion: "v1",
            kind: "Config",
            clusters: [
                { name: "gke", cluster: { server: address, "certificate-authority-data": auth.clusterCaCertificate } },
            ],
            users: [
                {
                    name: "gke",
                    user: {
                        exec: {
                            apiVersion: "client.authentication.k8s.io/v1beta1",
                            command: "gke-gcloud-auth-plugin",
                            provideClusterInfo: true,
                            interactiveMode: "Never",
                        },
                    },
                },
            ],
            contexts: [{ name: "gke", context: { cluster: "gke", user: "gke" } }],
            "current-context": "gke",
        }),
    );
