import * as pulumi from "@pulumi/pulumi";
import type { Capacity, Issue, SkippedNode } from "../../provider/mesh/types";
import type { MeshPlan } from "../../provider/observe/plan-known";
import type { ClusterMeshArgs } from "./args/cluster-mesh-args";
import { buildMesh } from "./build";
import { meshFile } from "./mesh-file";

/**
 * Our peers in one cluster.
 *
 * @group Outputs
 */
export interface TargetPeers {
    readonly count: number;
    readonly names: readonly string[];
}

/**
 * A member that did not answer in this run.
 *
 * @group Outputs
 */
export interface UnreachableCluster {
    readonly cluster: string;
    readonly reason: string;
    /** When it was first found so, ISO 8601. */
    readonly since: string;
}

/**
 * A member that answered but could not be used or trusted in this run.
 *
 * @group Outputs
 */
export interface UnusableCluster {
    readonly cluster: string;
    readonly reason: string;
    /** When it was first found so, ISO 8601. */
    readonly since: string;
    /** What to do about it. */
    readonly fix: string;
}

/**
 * Joins Kubernetes clusters that run Kilo: each gets a WireGuard `Peer` for the nodes of the others, kept up to date by
 * every `pulumi up` and removed by `pulumi destroy`.
 *
 * ```ts
 * import { ClusterMesh } from "pulumi-kilo-clustermesh";
 *
 * const mesh = new ClusterMesh("edge", {
 *     clusters: {
 *         hub: { kubeconfig: "~/.kube/hub.yaml", podCIDRs: ["10.16.0.0/16"] },
 *         berlin: { kubeconfig: "~/.kube/berlin.yaml", podCIDRs: ["10.17.0.0/16"] },
 *     },
 * });
 * export const skippedNodes = mesh.skippedNodes;
 * ```
 */
export class ClusterMesh extends pulumi.ComponentResource {
    /** Our peers in each cluster, by the cluster's name. */
    public readonly peers: pulumi.Output<Record<string, TargetPeers>>;
    /** Nodes that were left out, with the reason. */
    public readonly skippedNodes: pulumi.Output<readonly SkippedNode[]>;
    /** Everything worth knowing about the mesh that is not an error. */
    public readonly issues: pulumi.Output<readonly Issue[]>;
    /** Clusters that did not answer in this run. */
    public readonly unreachable: pulumi.Output<readonly UnreachableCluster[]>;
    /** Clusters that answered in this run but could not be used, with what to do about it. */
    public readonly unusable: pulumi.Output<readonly UnusableCluster[]>;
    /** How large the mesh is, for each cluster and in total. */
    public readonly capacity: pulumi.Output<Capacity>;
    /** The planned mesh as Mermaid text. As a stack output it is printed whole with every change; `kilo-clustermesh graph` draws it when asked. */
    public readonly graph: pulumi.Output<string>;
    /**
     * The arguments as `kilo-clustermesh` reads them (JSON, which is YAML too), without any `kubeconfig`: a path is left
     * out as well, because what is taken for one may be a secret. It is recorded in the stack for `--stack`.
     */
    public readonly meshFile: pulumi.Output<string>;

    constructor(name: string, args: ClusterMeshArgs, opts: pulumi.ComponentResourceOptions = {}) {
        // Arguments given to super() would be stored in plain text (docs/pulumi.md: component inputs are plain text).
        super("kilo-clustermesh:index:ClusterMesh", name, {}, opts);
        const result = buildMesh(this, name, args, opts);
        this.peers = result.apply(({ targets }) => targetPeers(targets));
        this.skippedNodes = result.apply(({ skipped }) => skipped);
        this.issues = result.apply(({ issues }) => issues);
        this.unreachable = result.apply(({ unseen }) =>
            unseen
                .filter(({ state }) => state === "silent")
                .map(({ cluster, reason, since }) => ({ cluster, reason, since })),
        );
        this.unusable = result.apply(({ unseen }) =>
            unseen
                .filter(({ state }) => state === "unusable")
                .map(({ cluster, reason, since, fix }) => ({ cluster, reason, since, fix })),
        );
        this.capacity = result.apply(({ capacity }) => capacity);
        this.graph = result.apply(({ graph }) => graph);
        this.meshFile = meshFile(args.meshName ?? name, args);
        // The other outputs are derived from the children: repeating thousands of names here would double the state.
        this.registerOutputs({ meshFile: this.meshFile });
    }
}

const targetPeers = (targets: MeshPlan["targets"]): Record<string, TargetPeers> =>
    Object.fromEntries(
        Object.entries(targets).map(([name, { peers }]) => {
            const names = [...peers.values()].flatMap((ofSource) => [...ofSource.keys()]).sort();
            return [name, { count: names.length, names }];
        }),
    );
