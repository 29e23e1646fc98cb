import * as pulumi from "@pulumi/pulumi";
import { kubeconfigText } from "../../provider/mesh/args/kubeconfig-text";
import { NOTHING_SEEN } from "../../provider/observe/look";
import type { SharedArgs } from "./children";
import type { Recording } from "./layout";
import { DEFAULT_REQUEST_TIMEOUT } from "./see-mesh";

/** The same for all clusters of a mesh. */
export const sharedArgs = ({ mesh, settings }: Recording): SharedArgs => ({
    mesh,
    requestTimeout: settings.apply((found) => found.requestTimeout ?? DEFAULT_REQUEST_TIMEOUT),
    deleteUnreachable: settings.apply((found) => found.deleteUnreachable ?? false),
});

/** The kubeconfig of a cluster, given or read from a Secret; undefined where there is neither. */
export function kubeconfigOf(
    { clusters, specs, sight }: Recording,
    index: number,
): pulumi.Output<string | undefined> | undefined {
    const cluster = clusters[index]!;
    // what is wrong with the arguments is said once, and not by this property
    const fromSecret = async () => (await sight.catch(() => NOTHING_SEEN)).kubeconfigs[cluster.name];
    if (cluster.kubeconfigSecret !== undefined) return pulumi.secret(specs[index]!.apply(fromSecret));
    if (cluster.kubeconfig === undefined) return undefined;
    if (typeof cluster.kubeconfig === "string") return pulumi.secret(cluster.kubeconfig);
    return pulumi.secret(pulumi.output(cluster.kubeconfig).apply(kubeconfigText));
}
