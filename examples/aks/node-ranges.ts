import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

export interface NodeRangesArgs {
    readonly provider: k8s.Provider;
    /** All pods of the cluster; each node gets a /24 of it. */
    readonly podCIDR: string;
}

const VERSION = "v1.34.1";
const LABELS = { "app.kubernetes.io/name": "node-ranges" };

/**
 * Gives every node a pod CIDR, which Kilo needs and this cloud's control plane does not hand out: Kubernetes' own
 * controller, with all others switched off. A node that has a range keeps it.
 */
export class NodeRanges extends pulumi.ComponentResource {
    constructor(name: string, { provider, podCIDR }: NodeRangesArgs, opts?: pulumi.ComponentResourceOptions) {
        super("examples:index:NodeRanges", name, {}, opts);
        const options = { parent: this, provider };
        const metadata = { name: "node-ranges", namespace: "kube-system" };
        const account = new k8s.core.v1.ServiceAccount(`${name}-ranges`, { metadata }, options);
        const role = new k8s.rbac.v1.ClusterRole(
            `${name}-ranges`,
            {
                metadata: { name: "node-ranges" },
                rules: [
                    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch", "update"] },
                    { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch", "update"] },
                ],
            },
            options,
        );
        const binding = new k8s.rbac.v1.ClusterRoleBinding(
            `${name}-ranges`,
            {
                metadata: { name: "node-ranges" },
                roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
                subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace: "kube-system" }],
            },
            options,
        );
        new k8s.apps.v1.Deployment(
            `${name}-ranges`,
            {
                // It runs on the nodes that wait for it, so it must not be waited for before there are any.
                metadata: { ...metadata, annotations: { "pulumi.com/skipAwait": "true" } },
                spec: {
                    replicas: 1,
                    strategy: { type: "Recreate" },
                    selector: { matchLabels: LABELS },
                    template: {
                        metadata: { labels: LABELS },
                        spec: {
                            serviceAccountName: account.metadata.name,
                            // No pod network is there yet.
                            hostNetwork: true,
                            tolerations: [{ operator: "Exists" }],
                            containers: [
                                {
                                    name: "node-ranges",
                                    image: `registry.k8s.io/kube-controller-manager:${VERSION}`,
                                    command: ["kube-controller-manager"],
                                    args: [
                                        "--controllers=node-ipam-controller",
                                        "--allocate-node-cidrs=true",
                                        `--cluster-cidr=${podCIDR}`,
                                        "--node-cidr-mask-size=24",
                                        "--leader-elect=false",
                                    ],
                                },
                            ],
                        },
                    },
                },
            },
            { ...options, dependsOn: [binding] },
        );
        this.registerOutputs({});
    }
}
