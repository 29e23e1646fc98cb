import type { ClusterSpec, Topology } from "../../../provider/mesh/types";
import type { Sight } from "../../../provider/observe/look";
import { memberInputs } from "../../../provider/observe/member-inputs";
import { nodesPropertyOf, propertyOf } from "../../../provider/resources/group-items";
import type { Props } from "../../../provider/resources/host";
import { encodeKubeconfigs } from "../../../provider/state/kubeconfigs-text";
import { SCHEMA_VERSIONS } from "../../../provider/state/schema-version";

/** What a user's program says: one mesh. */
export interface Program {
    readonly mesh: string;
    readonly clusters: readonly ClusterSpec[];
    readonly topology?: Topology;
    readonly adopt?: boolean;
    readonly requestTimeout: number;
    readonly onUnusable?: "fail" | "warn";
    readonly grouped?: boolean;
}

/** Given, or read from a Secret. */
const kubeconfigOf = ({ name, kubeconfig, kubeconfigSecret }: ClusterSpec, { kubeconfigs }: Sight) =>
    kubeconfigSecret === undefined ? kubeconfig : kubeconfigs[name];

export const meshOf = ({ mesh, grouped }: Program): Props => ({
    resource: "mesh",
    schemaVersion: 1,
    mesh,
    ...(grouped ? { grouped } : {}),
});

export const sharedOf = ({ mesh, requestTimeout, clusters }: Program, sight: Sight): Props => ({
    mesh,
    requestTimeout,
    deleteUnreachable: false,
    resourceUrn: "urn:pulumi:stack::project::group",
    kubeconfigs: encodeKubeconfigs(
        Object.fromEntries(clusters.map((cluster) => [cluster.name, kubeconfigOf(cluster, sight)])),
    ),
});

export const membersOf = (program: Program, sight: Sight): Props => ({
    resource: "members",
    schemaVersion: SCHEMA_VERSIONS.members,
    ...sharedOf(program, sight),
    ...Object.fromEntries(
        program.clusters.flatMap((cluster) => {
            const { nodes, ...seen } = memberInputs(cluster, sight);
            const own = { ...seen, allowEmpty: cluster.allowEmpty ?? false };
            return [
                [propertyOf(cluster.name), own],
                [nodesPropertyOf(cluster.name), nodes],
            ];
        }),
    ),
});

export const connectionOf = ({ mesh, requestTimeout }: Program, cluster: ClusterSpec, sight: Sight): Props => ({
    resource: "member",
    schemaVersion: 1,
    mesh,
    cluster: cluster.name,
    kubeconfig: kubeconfigOf(cluster, sight),
    requestTimeout,
    deleteUnreachable: false,
    resourceUrn: `urn:pulumi:stack::project::${cluster.name}`,
});

export const memberOf = (program: Program, cluster: ClusterSpec, sight: Sight): Props => ({
    ...connectionOf(program, cluster, sight),
    schemaVersion: SCHEMA_VERSIONS.member,
    allowEmpty: cluster.allowEmpty ?? false,
    ...memberInputs(cluster, sight),
});
