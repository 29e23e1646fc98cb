export type {
    Capacity,
    ClusterSpec,
    Issue,
    KubeNode,
    KubePeer,
    NodeFacts,
    PeerEndpoint,
    PeerSpec,
    Plan,
    PlanInput,
    PlannedPeer,
    SecretReference,
    Severity,
    SkippedNode,
    SkipReason,
    Topology,
} from "../provider/mesh/index";
export { planMesh } from "../provider/mesh/index";
export type { ClusterArgs, ClusterMeshArgs, KubeconfigSecretArgs, TopologyArgs } from "./args";
export { Member, PeerSet } from "./children";
export { ClusterMesh, type TargetPeers, type UnreachableCluster } from "./cluster-mesh";
