export type { KubeNode, KubePeer, NodeFacts, PeerEndpoint, PeerSpec } from "../../provider/kilo/types";
export { planMesh } from "../../provider/mesh/plan-mesh";
export type {
    Capacity,
    ClusterSpec,
    Issue,
    Plan,
    PlanInput,
    PlanInputByName,
    PlannedPeer,
    SecretReference,
    Severity,
    SkippedNode,
    SkipReason,
    Topology,
} from "../../provider/mesh/types";
export type { ClusterArgs } from "./args/cluster-args";
export type { ClusterMeshArgs } from "./args/cluster-mesh-args";
export type { KubeconfigArgs } from "./args/kubeconfig-args";
export type { KubeconfigSecretArgs } from "./args/kubeconfig-secret-args";
export type { TopologyArgs } from "./args/topology-args";
export { Member, PeerSet } from "./children";
export { ClusterMesh, type TargetPeers, type UnreachableCluster, type UnusableCluster } from "./cluster-mesh";
