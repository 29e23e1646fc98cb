import type { Input } from "@pulumi/pulumi";
import type { ClusterArgs } from "./cluster-args";
import type { TopologyArgs } from "./topology-args";

/**
 * A mesh of Kubernetes clusters that run Kilo.
 *
 * @group Arguments
 */
export interface ClusterMeshArgs {
    /**
     * The members, two or more: a map by name, or a list of entries with a `name` each. Both make the same resources, in
     * any order. Names are plain strings, because they name resources; everything else may be an Output.
     * Caution: taking a cluster out deletes its peers everywhere, and ours in it.
     *
     * @example
     * clusters: {
     *     hub: { kubeconfig: hub.kubeconfig, podCIDRs: ["10.16.0.0/16"] },
     *     berlin: { kubeconfig: berlin.kubeconfig, podCIDRs: ["10.17.0.0/16"] },
     * }
     */
    clusters: ClusterArgs[] | Record<string, Omit<ClusterArgs, "name">>;

    /**
     * Name of the mesh: the first part of every peer's name and a label on it. A DNS-1123 label.
     * Caution: a new name renames, i.e. deletes and creates, every peer.
     *
     * @default the resource's name
     * @example meshName: "edge"
     */
    meshName?: string;

    /**
     * Which clusters are joined. Caution: clusters that are not joined do not reach each other through a third one: the
     * peers of a hub carry the hub's own networks.
     *
     * @default all with all
     * @example topology: { hubs: ["hub"] }
     */
    topology?: TopologyArgs;

    /**
     * Records all clusters in two resources, instead of two resources for each: for fleets, from some 50 clusters on. The
     * engine's cost grows with the number of resources. What is written into clusters is the same.
     * Caution: it is chosen when the mesh is made. A later change is refused, because it would delete and create every peer.
     *
     * @default false
     * @example grouped: true // a hub and 200 tenants
     */
    grouped?: boolean;

    /**
     * What a cluster that does not answer means for `up`. `"skip"`: the others converge, its last known nodes keep
     * their peers, and a warning says so. `"fail"`: the same, and then the run fails.
     * Caution: a failed login, missing permissions and a missing Peer kind are not silence: see `onUnusable`.
     *
     * @default "skip"
     * @example onUnreachable: "fail" // in a pipeline that nobody watches
     */
    onUnreachable?: Input<"skip" | "fail">;

    /**
     * What a cluster that answers but cannot be used means for `up`: a refused certificate or login, missing permissions,
     * no Peer kind, a bad kubeconfig, another cluster than the recorded one. The others converge in any case. `"fail"`: then
     * the run fails, because a person must act. `"warn"`: a warning says so.
     * Caution: a failing run removes nothing; `KILO_CLUSTERMESH_ACCEPT_UNUSABLE=<names>` lets one run pass.
     *
     * @default "fail"
     * @example onUnusable: "warn" // while one tenant rotates its credentials
     */
    onUnusable?: Input<"fail" | "warn">;

    /**
     * Seconds for which `up` waits until Kilo has set up a node of every cluster that answers. With 0, such a cluster
     * is a warning and joins the mesh with a later `up`. Previews never wait.
     * Caution: a cluster that never gets a node holds up every `up` for as long.
     *
     * @default 0
     * @example waitForNodes: 300 // in a program that creates the clusters too
     */
    waitForNodes?: Input<number>;

    /**
     * When a cluster is removed and does not answer, forget its peers instead of failing.
     * Caution: if the cluster comes back, its peers are still there and nobody knows of them. It must be set by an `up`
     * before the removal; at destroy time use `KILO_CLUSTERMESH_DELETE_UNREACHABLE=<names>`. Only silence is forgiven,
     * never a bad kubeconfig.
     *
     * @default false
     * @example deleteUnreachable: true
     */
    deleteUnreachable?: Input<boolean>;

    /**
     * Take over peers that carry this mesh's labels but not our claim: an operator's, or our own after the state was
     * lost. Without it such peers are left alone and named in `skippedNodes`.
     * Caution: two stacks that adopt the same peers take them from each other.
     *
     * @default false
     * @example adopt: true // for one run, then remove it
     */
    adopt?: Input<boolean>;

    /**
     * Seconds that one API request may take. Caution: a cluster that does not answer holds up every run for at least
     * this long.
     *
     * @default 10
     * @example requestTimeout: 30 // for a cluster behind a slow link
     */
    requestTimeout?: Input<number>;

    /**
     * Number of peers in one target that causes a warning. Caution: it changes the warning only, not what the nodes of
     * that target can carry.
     *
     * @default 1000
     * @example peerWarning: 4000
     */
    peerWarning?: Input<number>;
}
