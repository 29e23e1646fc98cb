import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

export interface KiloArgs {
    readonly provider: k8s.Provider;
    /** Whether Kilo is the CNI of the cluster. Without it, the cloud's own gives pods their addresses. */
    readonly cni: boolean;
    /** Addresses for the WireGuard interfaces of the nodes: of no other cluster of the mesh. */
    readonly subnet: string;
}

const VERSION = "0.7.0";
const IMAGE = `squat/kilo:${VERSION}`;
const CRDS = `https://raw.githubusercontent.com/squat/kilo/${VERSION}/manifests/crds.yaml`;
const LABELS = { "app.kubernetes.io/name": "kilo" };

/** Pods get addresses out of the pod CIDR of their node; Kilo puts that into the file. */
const CNI = {
    cniVersion: "0.4.0",
    name: "kilo",
    plugins: [
        {
            name: "kubernetes",
            type: "bridge",
            bridge: "kube-bridge",
            isDefaultGateway: true,
            forceAddress: true,
            mtu: 1420,
            ipam: { type: "host-local" },
        },
        { type: "portmap", snat: true, capabilities: { portMappings: true } },
    ],
};

const hostPath = (name: string, path: string, type?: string): k8s.types.input.core.v1.Volume => ({
    name,
    hostPath: { path, ...(type === undefined ? {} : { type }) },
});

/** Kilo on every node, each a tunnel end of its own, and the kind `Peer` that a mesh is written in. */
export class Kilo extends pulumi.ComponentResource {
    constructor(name: string, { provider, cni, subnet }: KiloArgs, opts?: pulumi.ComponentResourceOptions) {
        super("examples:index:Kilo", name, {}, opts);
        const options = { parent: this, provider };
        const metadata = { name: "kilo", namespace: "kube-system" };
        const crds = new k8s.yaml.v2.ConfigFile(name, { file: CRDS }, options);
        const account = new k8s.core.v1.ServiceAccount(name, { metadata }, options);
        const role = new k8s.rbac.v1.ClusterRole(
            name,
            {
                metadata: { name: "kilo" },
                rules: [
                    { apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch", "patch"] },
                    { apiGroups: ["kilo.squat.ai"], resources: ["peers"], verbs: ["list", "watch"] },
                    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"] },
                ],
            },
            options,
        );
        const binding = new k8s.rbac.v1.ClusterRoleBinding(
            name,
            {
                metadata: { name: "kilo" },
                roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
                subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace: "kube-system" }],
            },
            options,
        );
        const config = new k8s.core.v1.ConfigMap(
            name,
            { metadata, data: { "cni.json": JSON.stringify(CNI) } },
            options,
        );
        new k8s.apps.v1.DaemonSet(
            name,
            {
                // Without nodes there is nothing to wait for, and nodes may wait for Kilo: the mesh waits for both.
                metadata: { ...metadata, annotations: { "pulumi.com/skipAwait": "true" } },
                spec: {
                    selector: { matchLabels: LABELS },
                    template: {
                        metadata: { labels: LABELS },
                        spec: {
                            serviceAccountName: account.metadata.name,
                            hostNetwork: true,
                            tolerations: [{ operator: "Exists" }],
                            initContainers: cni ? [installCni(config.metadata.name)] : [],
                            containers: [
                                {
                                    name: "kilo",
                                    image: IMAGE,
                                    args: [
                                        "--hostname=$(NODE_NAME)",
                                        "--mesh-granularity=full",
                                        `--cni=${cni}`,
                                        `--subnet=${subnet}`,
                                    ],
                                    env: [
                                        { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                                    ],
                                    securityContext: { privileged: true },
                                    volumeMounts: [
                                        { name: "cni-config", mountPath: "/etc/cni/net.d" },
                                        { name: "key", mountPath: "/var/lib/kilo" },
                                        { name: "modules", mountPath: "/lib/modules", readOnly: true },
                                        { name: "xtables-lock", mountPath: "/run/xtables.lock" },
                                    ],
                                },
                            ],
                            volumes: [
                                hostPath("cni-config", "/etc/cni/net.d"),
                                hostPath("cni-programs", "/opt/cni/bin"),
                                hostPath("key", "/var/lib/kilo"),
                                hostPath("modules", "/lib/modules"),
                                hostPath("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
                            ],
                        },
                    },
                },
            },
            { ...options, dependsOn: [crds, binding] },
        );
        this.registerOutputs({});
    }
}

/** The programs that the configuration names come with Kilo's image. */
const installCni = (configMap: pulumi.Input<string>): k8s.types.input.core.v1.Container => ({
    name: "install-cni",
    image: IMAGE,
    command: ["/bin/sh", "-ec"],
    args: ['cp /opt/cni/bin/* /host/programs/ && printf "%s" "$CONFIG" > /host/config/10-kilo.conflist'],
    env: [{ name: "CONFIG", valueFrom: { configMapKeyRef: { name: configMap, key: "cni.json" } } }],
    volumeMounts: [
        { name: "cni-programs", mountPath: "/host/programs" },
        { name: "cni-config", mountPath: "/host/config" },
    ],
});
