import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

export interface MeshAccountArgs {
    readonly server: pulumi.Input<string>;
    /** Used to create the account and for nothing else. */
    readonly adminKubeconfig: pulumi.Input<string>;
}

/** The account of docs/rbac.yaml in one cluster, and a kubeconfig that can do what it may and no more. */
export class MeshAccount extends pulumi.ComponentResource {
    readonly kubeconfig: pulumi.Output<string>;

    constructor(name: string, args: MeshAccountArgs, opts?: pulumi.ComponentResourceOptions) {
        super("compose:index:MeshAccount", name, {}, opts);
        const provider = new k8s.Provider(name, { kubeconfig: args.adminKubeconfig }, { parent: this });
        const options = { parent: this, provider };
        const namespace = new k8s.core.v1.Namespace(name, { metadata: { name: "mesh-access" } }, options).metadata.name;
        const account = new k8s.core.v1.ServiceAccount(name, { metadata: { name: "mesh", namespace } }, options);
        const role = new k8s.rbac.v1.ClusterRole(
            name,
            {
                metadata: { name: "mesh-access" },
                rules: [
                    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
                    { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
                    {
                        apiGroups: ["kilo.squat.ai"],
                        resources: ["peers"],
                        verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
                    },
                ],
            },
            options,
        );
        const binding = new k8s.rbac.v1.ClusterRoleBinding(
            name,
            {
                metadata: { name: "mesh-access" },
                roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
                subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace }],
            },
            options,
        );
        // A token of its own Secret does not expire. It can be replaced by short-lived ones: README, "rotate credentials".
        const token = new k8s.core.v1.Secret(
            name,
            {
                metadata: {
                    name: "mesh-token",
                    namespace,
                    annotations: { "kubernetes.io/service-account.name": account.metadata.name },
                },
                type: "kubernetes.io/service-account-token",
            },
            options,
        );
        // The binding's id makes the kubeconfig wait until the account may do anything at all.
        this.kubeconfig = pulumi.secret(
            pulumi
                .all([args.server, token.data, binding.id])
                .apply(([server, data]) => kubeconfig(server, data["ca.crt"] ?? "", fromBase64(data.token ?? ""))),
        );
        this.registerOutputs({ kubeconfig: this.kubeconfig });
    }
}

const fromBase64 = (text: string): string => Buffer.from(text, "base64").toString("utf8");

/** JSON is YAML too. */
const kubeconfig = (server: string, ca: string, token: string): string =>
    JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "cluster", cluster: { server, "certificate-authority-data": ca } }],
        users: [{ name: "mesh", user: { token } }],
        contexts: [{ name: "mesh", context: { cluster: "cluster", user: "mesh" } }],
        "current-context": "mesh",
    });
