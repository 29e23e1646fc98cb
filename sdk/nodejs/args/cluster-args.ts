import type { Input } from "@pulumi/pulumi";
import type { KubeconfigArgs } from "./kubeconfig-args";
import type { KubeconfigSecretArgs } from "./kubeconfig-secret-args";

/**
 * One Kubernetes cluster that runs Kilo.
 *
 * @group Arguments
 */
export interface ClusterArgs {
    /**
     * Name of the cluster in the mesh; part of every peer's name. A DNS-1123 label, unique in the mesh.
     * Caution: a renamed cluster keeps the peers in it; those that stand for it in the others have its name in theirs,
     * and are deleted and created.
     *
     * @example name: "hub"
     */
    name: string;

    /**
     * Kubeconfig of the cluster: its content, a path to it, or the object that it stands for, as `@pulumi/eks` returns it;
     * Outputs may be inside. Always stored as a secret.
     * Caution: `pulumi destroy` uses what was recorded by the last `up`; with a path, the file must still be there.
     *
     * @default none; give exactly one of `kubeconfig`, `local` and `kubeconfigSecret`
     * @example kubeconfig: eksCluster.kubeconfig
     * @example kubeconfig: "~/.kube/hub.yaml"
     */
    kubeconfig?: Input<string | KubeconfigArgs>;

    /**
     * Context of the kubeconfig to use. Caution: kubeconfigs are read when the mesh is planned; a context that is renamed
     * or removed afterwards makes the cluster unusable in the next run (see `onUnusable`).
     *
     * @default the current context of the kubeconfig
     * @example context: "admin@hub"
     */
    context?: Input<string>;

    /**
     * Use the service account of the pod this runs in, else the default kubeconfig (`KUBECONFIG`, `~/.kube/config`).
     * Caution: on another machine it means another cluster; where that can happen, give a `kubeconfig`.
     *
     * @default false
     * @example local: true // in a program that the Pulumi Kubernetes Operator runs
     */
    local?: Input<boolean>;

    /**
     * Read the kubeconfig from a Secret in another member, as Cluster API leaves them.
     * Caution: the account in that member must be allowed to `get` the Secret. The kubeconfig must stand on its own: one
     * that asks for an exec plugin, for files of this machine or for a proxy is refused.
     *
     * @default none
     * @example kubeconfigSecret: { cluster: "management", namespace: "tenants", name: "blue-kubeconfig", key: "value" }
     */
    kubeconfigSecret?: KubeconfigSecretArgs;

    /**
     * Ranges that pods of this cluster get addresses from. Nodes whose pod CIDR is outside are skipped.
     * Caution: must not overlap anything else in the mesh; Kilo would take routes away from the nodes that receive them.
     *
     * @default none; required unless `allowedNetworks` is given
     * @example podCIDRs: ["10.16.0.0/16"]
     */
    podCIDRs?: Input<Input<string>[]>;

    /**
     * The WireGuard subnet of the cluster (Kilo's `--subnet`). Set it to reach the WireGuard addresses of its nodes
     * from other clusters. Without it they are not advertised, and clusters that share Kilo's default subnet can be meshed.
     * Caution: an address that is missing, outside of it or claimed twice is left out; the node is meshed all the same.
     *
     * @default none
     * @example wireguardCIDR: "10.4.0.0/16"
     */
    wireguardCIDR?: Input<string>;

    /**
     * The cluster's service range, to reach its ClusterIPs from other clusters.
     * Caution: it rides on one peer of the cluster; when Kilo no longer sees that node, the next `up` moves it to another.
     *
     * @default none
     * @example serviceCIDR: "10.96.0.0/16"
     */
    serviceCIDR?: Input<string>;

    /**
     * Further ranges behind the cluster, such as a database subnet. Caution: they ride on one peer, as `serviceCIDR` does.
     *
     * @default none
     * @example additionalCIDRs: ["10.200.8.0/22"]
     */
    additionalCIDRs?: Input<Input<string>[]>;

    /**
     * Ranges that node addresses are in. Node addresses inside are advertised as host routes, which host-network
     * traffic to remote pods needs.
     * Caution: an address that is some peer's endpoint in the target is left out, it would route the tunnel into itself.
     *
     * @default none
     * @example nodeCIDRs: ["192.168.10.0/24"]
     */
    nodeCIDRs?: Input<Input<string>[]>;

    /**
     * The flat form, instead of all typed ranges above: everything this cluster may advertise, in one list.
     * Caution: entries that no node covers ride on one peer.
     *
     * @default none
     * @example allowedNetworks: ["10.16.0.0/16", "10.4.0.0/24", "10.96.0.0/16"]
     */
    allowedNetworks?: Input<Input<string>[]>;

    /**
     * In the flat form, advertise each node's own addresses inside `allowedNetworks` as host routes on its own peer, as
     * kilo-clustermesh-operator does; in the typed form `nodeCIDRs` does it. Entries that hold node addresses then ride on
     * no peer as a whole. Caution: an address that is some peer's endpoint in the target is left out, as for `nodeCIDRs`.
     *
     * @default false
     * @example nodeAddresses: true
     */
    nodeAddresses?: Input<boolean>;

    /**
     * What this cluster lets in: peers written into it are cut down to these ranges.
     * Caution: it limits routes into this cluster's nodes, it is no firewall; a peer that has nothing left is not written.
     *
     * @default everything that the others declare
     * @example acceptedNetworks: ["10.16.0.0/16"]
     */
    acceptedNetworks?: Input<Input<string>[]>;

    /**
     * Only nodes with these labels are meshed. Caution: it decides whose networks are carried; in location granularity
     * the leader is still the one Kilo chooses.
     *
     * @default all nodes
     * @example nodeSelector: { "node-role.kubernetes.io/gateway": "" }
     */
    nodeSelector?: Input<Record<string, Input<string>>>;

    /**
     * Port for endpoints that are made from a node's ExternalIP or InternalIP. Caution: it must be the port that Kilo
     * listens on (`--port`); endpoints in annotations carry their own.
     *
     * @default 51820
     * @example wireguardPort: 51821
     */
    wireguardPort?: Input<number>;

    /**
     * `persistentKeepalive` of the peers that stand for this cluster, 0 to 65535 seconds.
     * Caution: above 0 Kilo lets the peer roam and ignores later changes of its endpoint, so such a change is a delete
     * and create.
     *
     * @default 0, or 25 with `nat`
     * @example persistentKeepalive: 25
     */
    persistentKeepalive?: Input<number>;

    /**
     * The cluster is behind NAT: its peers get no endpoint, its own nodes must dial out.
     * Caution: annotate its nodes with `kilo.squat.ai/persistent-keepalive`, or no tunnel opens.
     *
     * @default false
     * @example nat: true
     */
    nat?: Input<boolean>;

    /**
     * Prefer the endpoint at which a target's own nodes see this cluster's nodes. A node annotated with
     * `kilo.squat.ai/clustermesh-endpoint` is pinned in any case.
     * Caution: an observed endpoint stays until that target observes another one or the configured one changes.
     *
     * @default true
     * @example discoveredEndpoints: false // where only addresses from a list may be dialled
     */
    discoveredEndpoints?: Input<boolean>;

    /**
     * Believe a cluster that lists no nodes though it had some. Without it the last known nodes are kept, with a warning.
     * Caution: with it, a kubeconfig that leads to a new, empty cluster takes every peer of the former one away.
     *
     * @default false
     * @example allowEmpty: true // for a cluster that is scaled to zero on purpose
     */
    allowEmpty?: Input<boolean>;

    /**
     * Ranges of the cluster that nobody else may declare, and that others are not told of.
     * Caution: it protects against overlaps in this program; it is no firewall.
     *
     * @default none
     * @example reserved: ["10.250.0.0/16"] // the network of its database servers
     */
    reserved?: Input<Input<string>[]>;

    /**
     * Names of nodes that are kept out of the mesh: their peers are withdrawn everywhere, and they never lead a location.
     * It works while the cluster does not answer too. Caution: a name that matches no node is a warning.
     *
     * @default none
     * @example excludeNodes: ["worker-3"] // whose key was stolen
     */
    excludeNodes?: Input<Input<string>[]>;

    /**
     * The cluster was rebuilt under its name: the uid of its new namespace `kube-system`, which the error message prints.
     * What was recorded of the old cluster is dropped. Without it, another cluster under a known name is not touched.
     * Caution: remove it once an `up` has succeeded; `KILO_CLUSTERMESH_REBUILT=<cluster>=<uid>` does the same for one run.
     *
     * @default none
     * @example rebuilt: "7d8b1c1e-3c0a-4a43-9d3e-0b8c6f1f2a55"
     */
    rebuilt?: Input<string>;
}
