import type { Input } from "@pulumi/pulumi";

/**
 * A kubeconfig as an object, as clouds return it. Its text is recorded, so object and text are the same to the mesh.
 *
 * @group Arguments
 */
export interface KubeconfigArgs {
    /**
     * The API servers, by name.
     *
     * @example clusters: [{ name: "hub", cluster: { server: "https://203.0.113.10:6443" } }]
     */
    clusters: Input<Input<object>[]>;

    /**
     * Which user goes with which cluster, by name.
     *
     * @example contexts: [{ name: "hub", context: { cluster: "hub", user: "mesh" } }]
     */
    contexts: Input<Input<object>[]>;

    /**
     * The credentials, by name. Caution: written out in a program they are in its source; take them from an Output or a
     * secret of the configuration.
     *
     * @default none
     * @example users: [{ name: "mesh", user: { token: new pulumi.Config().requireSecret("token") } }]
     */
    users?: Input<Input<object>[]>;

    /**
     * The context that is used where the cluster names none. Caution: without it the cluster needs a `context`.
     *
     * @default none
     * @example "current-context": "hub"
     */
    "current-context"?: Input<string>;

    /**
     * Version of the format. Caution: it is not read.
     *
     * @default none
     * @example apiVersion: "v1"
     */
    apiVersion?: Input<string>;

    /**
     * Kind of the object. Caution: it is not read.
     *
     * @default none
     * @example kind: "Config"
     */
    kind?: Input<string>;

    /**
     * Settings of kubectl. Caution: they are not read.
     *
     * @default none
     * @example preferences: {}
     */
    preferences?: Input<object>;
}
