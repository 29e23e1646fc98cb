import type { Input } from "@pulumi/pulumi";

/**
 * A Secret in another member of the mesh that holds this cluster's kubeconfig, as Cluster API leaves them.
 *
 * @group Arguments
 */
export interface KubeconfigSecretArgs {
    /**
     * The member that holds the Secret, by its name. A plain string: it decides the order of contact.
     * Caution: it must not get its own kubeconfig from this cluster.
     *
     * @example cluster: "management"
     */
    cluster: string;

    /**
     * Namespace of the Secret.
     *
     * @example namespace: "capi-clusters"
     */
    namespace: Input<string>;

    /**
     * Name of the Secret.
     *
     * @example name: "tenant-7-kubeconfig"
     */
    name: Input<string>;

    /**
     * Key of the Secret's data that is the kubeconfig; Cluster API uses `value`.
     *
     * @example key: "value"
     */
    key: Input<string>;
}
