import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

export interface MeshAccountArgs {
    /** An administrator's: it creates the account, and is not part of the mesh. */
    readonly provider: k8s.Provider;
    /** Address of the API server. */
    readonly server: pulumi.Input<string>;
}

/** The account of docs/rbac.yaml in one cluster, and a kubeconfig that can do what it may and no more. */
export class MeshAccount extends pulumi.ComponentResource {
    readonly kubeconfig: pulumi.Output<string>;

    constructor(name: string, { provider, server }: MeshAccountArgs, opts?: pulumi.ComponentResourceOptions) {
        super("examples:index:MeshAccount", name, {}, opts);
        const options = { parent: this, provider };
        const metadata = { name: "kilo-clustermesh" };
        const namespace = new k8s.core.v1.Namespace(name, { metadata }, options).metadata.name;
        const account = new k8s.core.v1.ServiceAccount(name, { metadata: { ...metadata, namespace } }, options);
        const role = new k8s.rbac.v1.ClusterRole(
            `${name}-mesh`,
            {
                metadata,
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
            `${name}-mesh`,
            {
                metadata,
                roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
                subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace }],
            },
            options,
        );
        const annotations = { "kubernetes.io/service-account.name": account.metadata.name };
        const token = new k8s.core.v1.Secret(
            name,
            {
                metadata: { name: "kilo-clustermesh-token", namespace, annotations },
                type: "kubernetes.io/service-account-token",
            },
            options,
        );
        // The binding's id makes the kubeconfig wait until the account may do anything at all.
        this.kubeconfig = pulumi.secret(
            pulumi
                .all([server, token.data, binding.id])
                .apply(([address, data]) => kubeconfig(address, data["ca.crt"] ?? "", data.token ?? "")),
        );
        this.registerOutputs({ kubeconfig: this.kubeconfig });
    }
}

/** JSON is YAML too. */
const kubeconfig = (server: string, ca: string, token: string): string =>
    JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "cluster", cluster: { server, "certificate-authority-data": ca } }],
        users: [{ name: "mesh", user: { token: Buffer.from(token, "base64").toString("utf8") } }],
        contexts: [{ name: "mesh", context: { cluster: "cluster", user: "mesh" } }],
        "current-context": "mesh",
    });
