import * as containerservice from "@pulumi/azure-native/containerservice";
import * as resources from "@pulumi/azure-native/resources";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Kilo } from "./kilo";
import { MeshAccount } from "./mesh-account";
import { NodeRanges } from "./node-ranges";

export interface MeshedClusterArgs {
    readonly location: string;
    readonly podCIDR: string;
    readonly serviceCIDR: string;
    /** Of the service range: the address of the cluster's DNS. */
    readonly dnsServiceIP: string;
    readonly wireguardCIDR: string;
}

/** An AKS cluster without a network plugin, Kilo as its CNI, and the account that the mesh uses. */
export class MeshedCluster extends pulumi.ComponentResource {
    /** Of the least-privilege account. */
    readonly kubeconfig: pulumi.Output<string>;
    /** What must be there before the mesh looks at the nodes. */
    readonly ready: readonly pulumi.Resource[];

    constructor(name: string, args: MeshedClusterArgs, opts?: pulumi.ComponentResourceOptions) {
        super("examples:index:MeshedCluster", name, {}, opts);
        const here = { parent: this };
        const { location } = args;
        const group = new resources.ResourceGroup(name, { location }, here);
        const cluster = new containerservice.ManagedCluster(
            name,
            {
                resourceGroupName: group.name,
                location,
                dnsPrefix: name,
                identity: { type: "SystemAssigned" },
                networkProfile: {
                    // Kilo is the CNI.
                    networkPlugin: "none",
                    podCidr: args.podCIDR,
                    serviceCidr: args.serviceCIDR,
                    dnsServiceIP: args.dnsServiceIP,
                },
                agentPoolProfiles: [
                    {
                        name: "nodes",
                        mode: "System",
                        count: 2,
                        vmSize: "Standard_D2s_v5",
                        // An address that the other clusters can dial, and WireGuard's port open on it.
                        enableNodePublicIP: true,
                        networkProfile: { allowedHostPorts: [{ portStart: 51820, portEnd: 51820, protocol: "UDP" }] },
                    },
                ],
            },
            here,
        );
        const provider = new k8s.Provider(name, { kubeconfig: adminKubeconfig(group, cluster) }, here);
        const ranges = new NodeRanges(name, { provider, podCIDR: args.podCIDR }, { parent: this });
        const kilo = new Kilo(name, { provider, cni: true, subnet: args.wireguardCIDR }, { parent: this });
        const server = pulumi.interpolate`https://${cluster.fqdn}:443`;
        this.kubeconfig = new MeshAccount(name, { provider, server }, { parent: this }).kubeconfig;
        this.ready = [ranges, kilo];
        this.registerOutputs({ kubeconfig: this.kubeconfig });
    }
}

function adminKubeconfig(
    group: resources.ResourceGroup,
    cluster: containerservice.ManagedCluster,
): pulumi.Output<string> {
    const credentials = containerservice.listManagedClusterAdminCredentialsOutput({
        resourceGroupName: group.name,
        resourceName: cluster.name,
    });
    // Azure gives it in base64.
    return pulumi.secret(
        credentials.kubeconfigs.apply(([first]) => Buffer.from(first?.value ?? "", "base64").toString("utf8")),
    );
}
