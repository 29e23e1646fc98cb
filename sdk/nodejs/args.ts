import type { Input, Unwrap } from "@pulumi/pulumi";

/**
 * A Secret in another member of the mesh that holds this cluster's kubeconfig, as Cluster API leaves them.
 *
 * @group Arguments
 */
export interface KubeconfigSecretArgs {
    /**
     * The member that holds the Secret, by its `name`. A plain string: it decides the order of contact.
     *
     * Example: `"management"`. Caution: it must not get its own kubeconfig from this cluster.
     */
    cluster: string;
    /** Namespace of the Secret. Example: `"capi-clusters"`. */
    namespace: Input<string>;
    /** Name of the Secret. Example: `"tenant-7-kubeconfig"`. */
    name: Input<string>;
    /** Key of the Secret's data that is the kubeconfig. Example: `"value"`, which Cluster API uses. */
    key: Input<string>;
}

/**
 * One Kubernetes cluster that runs Kilo.
 *
 * @group Arguments
 */
export interface ClusterArgs {
    /**
     * Name of the cluster in the mesh; part of every peer's name. A DNS-1123 label, unique in the mesh.
     *
     * Example: `"hub"`. Caution: a renamed cluster keeps the peers in it; those that stand for it in the others
     * have its name in theirs, and are deleted and created.
     */
    name: string;

    /**
     * Kubeconfig of the cluster: its content, or a path to it. Always stored as a secret. Default: none; give exactly one
     * of `kubeconfig`, `local` and `kubeconfigSecret`.
     *
     * Example: `cluster.kubeconfig`, or `"~/.kube/hub.yaml"`. Caution: `pulumi destroy` uses what was recorded by the
     * last `up`; with a path, the file must still be there.
     */
    kubeconfig?: Input<string>;

    /**
     * Context of the kubeconfig to use. Default: its current context.
     *
     * Example: `"admin@hub"`. Caution: kubeconfigs are read when the mesh is planned; a context that is renamed or
     * removed afterwards makes the cluster unusable in the next run (see `onUnusable`).
     */
    context?: Input<string>;

    /**
     * Use the service account of the pod this runs in, else the default kubeconfig (`KUBECONFIG`, `~/.kube/config`).
     * Default: false.
     *
     * Example: `true`, in a program that the Pulumi Kubernetes Operator runs. Caution: on another machine it means
     * another cluster; where that can happen, give a `kubeconfig`.
     */
    local?: Input<boolean>;

    /**
     * Read the kubeconfig from a Secret in another member, as Cluster API leaves them. Default: none.
     *
     * Example: `{ cluster: "management", namespace: "tenants", name: "blue-kubeconfig", key: "value" }`. Caution: the
     * account in that member must be allowed to `get` the Secret. The kubeconfig must stand on its own: one that asks
     * for an exec plugin, for files of this machine or for a proxy is refused.
     */
    kubeconfigSecret?: KubeconfigSecretArgs;

    /**
     * Ranges that pods of this cluster get addresses from. Nodes whose pod CIDR is outside are skipped. Default: none;
     * required unless `allowedNetworks` is given.
     *
     * Example: `["10.16.0.0/16"]`. Caution: must not overlap anything else in the mesh; Kilo would take routes away
     * from the nodes that receive them.
     */
    podCIDRs?: Input<Input<string>[]>;

    /**
     * The WireGuard subnet of the cluster (Kilo's `--subnet`). Set it to reach the WireGuard addresses of its nodes
     * from other clusters. Default: none, WireGuard addresses are not advertised, and clusters that share Kilo's
     * default subnet can be meshed.
     *
     * Example: `"10.4.0.0/16"`. Caution: an address that is missing, outside of it or claimed twice is left out; the node is meshed all the same.
     */
    wireguardCIDR?: Input<string>;

    /**
     * The cluster's service range, to reach its ClusterIPs from other clusters. Default: none.
     *
     * Example: `"10.96.0.0/16"`. Caution: it rides on one peer of the cluster; when Kilo no longer sees that node, the next
     * `up` moves it to another.
     */
    serviceCIDR?: Input<string>;

    /**
     * Further ranges behind the cluster, such as a database subnet. Default: none.
     *
     * Example: `["10.200.8.0/22"]`. Caution: they ride on one peer, as `serviceCIDR` does.
     */
    additionalCIDRs?: Input<Input<string>[]>;

    /**
     * Ranges that node addresses are in. Node addresses inside are advertised as host routes, which host-network
     * traffic to remote pods needs. Default: none.
     *
     * Example: `["192.168.10.0/24"]`. Caution: an address that is some peer's endpoint in the target is left out, it would route the tunnel into itself.
     */
    nodeCIDRs?: Input<Input<string>[]>;

    /**
     * The flat form, instead of all typed ranges above: everything this cluster may advertise, in one list. What no
     * node covers rides on one peer. Default: none.
     *
     * Example: `["10.16.0.0/16", "10.4.0.0/24", "10.96.0.0/16"]`. Caution: entries that no node covers ride on one peer.
     */
    allowedNetworks?: Input<Input<string>[]>;

    /**
     * What this cluster lets in: peers written into it are cut down to these ranges. Default: everything that the others
     * declare.
     *
     * Example: `["10.16.0.0/16"]`. Caution: it limits routes into this cluster's nodes, it is no firewall; a peer that
     * has nothing left is not written.
     */
    acceptedNetworks?: Input<Input<string>[]>;

    /**
     * Only nodes with these labels are meshed. Default: all nodes.
     *
     * Example: `{ "node-role.kubernetes.io/gateway": "" }`. Caution: it decides whose networks are carried; in location
     * granularity the leader is still the one Kilo chooses.
     */
    nodeSelector?: Input<Record<string, Input<string>>>;

    /**
     * Port for endpoints that are made from a node's ExternalIP or InternalIP. Default: 51820.
     *
     * Example: `51821`. Caution: it must be the port that Kilo listens on (`--port`); endpoints in annotations carry
     * their own.
     */
    wireguardPort?: Input<number>;

    /**
     * `persistentKeepalive` of the peers that stand for this cluster, 0 to 65535 seconds. Default: 0, or 25 with `nat`.
     *
     * Example: `25`. Caution: above 0 Kilo lets the peer roam and ignores later changes of its endpoint, so such a change is a delete
     * and create.
     */
    persistentKeepalive?: Input<number>;

    /**
     * The cluster is behind NAT: its peers get no endpoint, its own nodes must dial out. Default: false.
     *
     * Example: `true`. Caution: annotate its nodes with `kilo.squat.ai/persistent-keepalive`, or no tunnel opens.
     */
    nat?: Input<boolean>;

    /**
     * Prefer the endpoint at which a target's own nodes see this cluster's nodes. Default: true. A node annotated with
     * `kilo.squat.ai/clustermesh-endpoint` is pinned in any case.
     *
     * Example: `false`, where only addresses from a list may be dialled. Caution: an observed endpoint stays until that
     * target observes another one or the configured one changes.
     */
    discoveredEndpoints?: Input<boolean>;

    /**
     * Believe a cluster that lists no nodes though it had some. Default: false, the last known nodes are kept, with a
     * warning.
     *
     * Example: `true`, for a cluster that is scaled to zero on purpose. Caution: with it, a kubeconfig that leads to a
     * new, empty cluster takes every peer of the former one away.
     */
    allowEmpty?: Input<boolean>;

    /**
     * Ranges of the cluster that nobody else may declare, and that others are not told of. Default: none.
     *
     * Example: `["10.250.0.0/16"]`, the network of its database servers. Caution: it protects against overlaps in this
     * program; it is no firewall.
     */
    reserved?: Input<Input<string>[]>;

    /**
     * Names of nodes that are kept out of the mesh: their peers are withdrawn everywhere, and they never lead a location.
     * Default: none.
     *
     * Example: `["worker-3"]`, whose key was stolen; it works while the cluster does not answer too. Caution: a name that
     * matches no node is a warning.
     */
    excludeNodes?: Input<Input<string>[]>;

    /**
     * The cluster was rebuilt under its name: the uid of its new namespace `kube-system`, which the error message prints.
     * What was recorded of the old cluster is dropped. Default: none, another cluster under a known name is not touched.
     *
     * Example: `"3f8a…"`. Caution: remove it once an `up` has succeeded; `KILO_CLUSTERMESH_REBUILT=<cluster>=<uid>` does
     * the same for one run.
     */
    rebuilt?: Input<string>;
}

/**
 * Which clusters are joined. Absent: all with all.
 *
 * @group Arguments
 */
export interface TopologyArgs {
    /**
     * Every hub is joined with every cluster, the others only with the hubs. Default: none.
     *
     * Example: `["hub"]`. Caution: with `links` too, both add up.
     */
    hubs?: string[];
    /**
     * Exactly these pairs are joined. Default: none.
     *
     * Example: `[{ a: "hub", b: "edge-1" }]`. Caution: a cluster that no pair names gets no peers.
     */
    links?: { a: string; b: string }[];
}

/**
 * A mesh of Kubernetes clusters that run Kilo.
 *
 * @group Arguments
 */
export interface ClusterMeshArgs {
    /**
     * The members, two or more. Names are plain strings, because they name resources; everything else may be an Output.
     *
     * Example: `[{ name: "hub", kubeconfig, podCIDRs: ["10.16.0.0/16"] }, …]`. Caution: taking a cluster out of the list
     * deletes its peers everywhere, and ours in it.
     */
    clusters: ClusterArgs[];

    /**
     * Name of the mesh; first part of every peer's name and a label on it. Default: the resource's name. A DNS-1123 label.
     *
     * Example: `"edge"`. Caution: a new name renames, i.e. deletes and creates, every peer.
     */
    meshName?: string;

    /**
     * Which clusters are joined. Default: all with all.
     *
     * Example: `{ hubs: ["hub"] }`. Caution: clusters that are not joined do not reach each other through a third one: the
     * peers of a hub carry the hub's own networks.
     */
    topology?: TopologyArgs;

    /**
     * What a cluster that does not answer means for `up`. `"skip"`: the others converge, its last known nodes keep
     * their peers, and a warning says so. `"fail"`: the same, and then the run fails. Default: `"skip"`.
     *
     * Example: `"fail"`, in a pipeline that nobody watches. Caution: a failed login, missing permissions and a missing
     * Peer kind are not silence: see `onUnusable`.
     */
    onUnreachable?: Input<"skip" | "fail">;

    /**
     * What a cluster that answers but cannot be used means for `up`: a refused certificate or login, missing permissions,
     * no Peer kind, a bad kubeconfig, another cluster than the recorded one. The others converge in any case. `"fail"`: then
     * the run fails, because a person must act. `"warn"`: a warning says so. Default: `"fail"`.
     *
     * Example: `"warn"`, while one tenant rotates its credentials. Caution: a failing run removes nothing;
     * `KILO_CLUSTERMESH_ACCEPT_UNUSABLE=<names>` lets one run pass.
     */
    onUnusable?: Input<"fail" | "warn">;

    /**
     * Seconds for which `up` waits until Kilo has set up a node of every cluster that answers. Default: 0, such a cluster
     * is a warning and joins the mesh with a later `up`. Previews never wait.
     *
     * Example: `300`, in a program that creates the clusters too. Caution: a cluster that never gets a node holds up
     * every `up` for as long.
     */
    waitForNodes?: Input<number>;

    /**
     * When a cluster is removed and does not answer, forget its peers instead of failing. Default: false.
     *
     * Example: `true`. Caution: if the cluster comes back, its peers are still there and nobody knows of them. It must be set by an `up` before the removal; at destroy time use
     * `KILO_CLUSTERMESH_DELETE_UNREACHABLE=<names>`. Only silence is forgiven, never a bad kubeconfig.
     */
    deleteUnreachable?: Input<boolean>;

    /**
     * Take over peers that carry this mesh's labels but not our claim: an operator's, or our own after the state was
     * lost. Default: false, such peers are left alone and named in `skippedNodes`.
     *
     * Example: `true` for one `up`, then remove it. Caution: two stacks that adopt the same peers take them from each other.
     */
    adopt?: Input<boolean>;

    /**
     * Seconds that one API request may take. Default: 10.
     *
     * Example: `30`, for a cluster behind a slow link. Caution: a cluster that does not answer holds up every run for
     * at least this long.
     */
    requestTimeout?: Input<number>;

    /**
     * Number of peers in one target that causes a warning. Default: 1000.
     *
     * Example: `4000`. Caution: it changes the warning only, not what the nodes of that target can carry.
     */
    peerWarning?: Input<number>;
}

/**
 * What holds for the whole mesh, once it is known.
 *
 * @internal
 */
export type Settings = Unwrap<Omit<ClusterMeshArgs, "clusters" | "topology" | "meshName">>;
