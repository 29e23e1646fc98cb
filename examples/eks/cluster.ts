import * as aws from "@pulumi/aws";
import * as eks from "@pulumi/eks";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Kilo } from "./kilo";
import { MeshAccount } from "./mesh-account";
import { NodeRanges } from "./node-ranges";

export interface MeshedClusterArgs {
    readonly region: pulumi.Input<aws.Region>;
    readonly podCIDR: string;
    readonly serviceCIDR: string;
    readonly wireguardCIDR: string;
}

const POLICIES = ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryReadOnly"];

/** An EKS cluster in one region with Kilo as its CNI, its nodes, and the account that the mesh uses. */
export class MeshedCluster extends pulumi.ComponentResource {
    /** Of the least-privilege account. */
    readonly kubeconfig: pulumi.Output<string>;
    /** What must be there before the mesh looks at the nodes. */
    readonly ready: readonly pulumi.Resource[];

    constructor(name: string, args: MeshedClusterArgs, opts?: pulumi.ComponentResourceOptions) {
        super("examples:index:MeshedCluster", name, {}, opts);
        const region = new aws.Provider(name, { region: args.region }, { parent: this });
        const inRegion = { parent: this, provider: region };
        const invoke = { parent: this, provider: region };
        const vpc = aws.ec2.getVpcOutput({ default: true }, invoke);
        const subnets = aws.ec2.getSubnetsOutput({ filters: [{ name: "vpc-id", values: [vpc.id] }] }, invoke);

        const cluster = new eks.Cluster(
            name,
            {
                vpcId: vpc.id,
                publicSubnetIds: subnets.ids,
                kubernetesServiceIpAddressRange: args.serviceCIDR,
                authenticationMode: eks.AuthenticationMode.Api,
                skipDefaultNodeGroup: true,
                // No CNI of Amazon: Kilo is the CNI.
                bootstrapSelfManagedAddons: false,
                corednsAddonOptions: { enabled: false },
            },
            { parent: this, providers: { aws: region } },
        );
        const provider = new k8s.Provider(name, { kubeconfig: cluster.kubeconfigJson }, { parent: this });
        const ranges = new NodeRanges(name, { provider, podCIDR: args.podCIDR }, { parent: this });
        const kilo = new Kilo(name, { provider, cni: true, subnet: args.wireguardCIDR }, { parent: this });

        new aws.vpc.SecurityGroupIngressRule(
            name,
            {
                securityGroupId: cluster.eksCluster.vpcConfig.clusterSecurityGroupId,
                description: "WireGuard, from the nodes of the other clusters",
                ipProtocol: "udp",
                fromPort: 51820,
                toPort: 51820,
                cidrIpv4: "0.0.0.0/0",
            },
            inRegion,
        );
        const role = new aws.iam.Role(
            name,
            { assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: "ec2.amazonaws.com" }) },
            inRegion,
        );
        const rights = POLICIES.map(
            (policy) =>
                new aws.iam.RolePolicyAttachment(
                    `${name}-${policy}`,
                    { role: role.name, policyArn: `arn:aws:iam::aws:policy/${policy}` },
                    inRegion,
                ),
        );
        // EKS waits until its nodes are ready, and they are only with a CNI: both of ours come first.
        const nodes = new aws.eks.NodeGroup(
            name,
            {
                clusterName: cluster.eksCluster.name,
                nodeRoleArn: role.arn,
                subnetIds: subnets.ids,
                instanceTypes: ["t3.medium"],
                scalingConfig: { minSize: 2, desiredSize: 2, maxSize: 4 },
            },
            { ...inRegion, dependsOn: [...rights, kilo, ranges] },
        );
        new eks.Addon(name, { cluster, addonName: "coredns" }, { parent: this, dependsOn: [nodes] });
        const server = cluster.eksCluster.endpoint;
        this.kubeconfig = new MeshAccount(name, { provider, server }, { parent: this }).kubeconfig;
        this.ready = [nodes, kilo];
        this.registerOutputs({ kubeconfig: this.kubeconfig });
    }
}
