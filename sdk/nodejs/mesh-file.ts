import * as pulumi from "@pulumi/pulumi";
import { clusterList } from "../../provider/mesh/args/cluster-forms";
import { definedOnly } from "../../provider/mesh/args/validate";
import { byText } from "../../provider/values/show";
import type { ClusterArgs } from "./args/cluster-args";
import type { ClusterMeshArgs } from "./args/cluster-mesh-args";

/**
 * The arguments as the command line reads them. `kubeconfig` is left out before anything is resolved, so that no part of
 * it, nor that it is a secret, gets into the text; `local` and `kubeconfigSecret` say where credentials are, and stay.
 */
export function meshFile(mesh: string, { clusters, meshName: _, ...settings }: ClusterMeshArgs): pulumi.Output<string> {
    const withoutCredentials = [...clusterList<ClusterArgs>(clusters)]
        .sort((a, b) => byText(a.name, b.name))
        .map(({ kubeconfig: _, ...cluster }) => cluster);
    return pulumi
        .output({ ...settings, clusters: withoutCredentials })
        .apply((known) => JSON.stringify(definedOnly({ mesh, ...known }), undefined, 2));
}
