export { type ClusterAccess, hasOverride, overrideVariable } from "./access";
export { type Permission, type ReviewedPermission, reviewAccess } from "./access-review";
export { DEFAULT_CONCURRENCY, forEachBounded } from "./bounded";
export {
    type ClientOptions,
    type KubeClient,
    type NewPeer,
    type NodeListOptions,
    openCluster,
    type PeerPatch,
} from "./client";
export { type Clock, systemClock } from "./clock";
export { type ConflictReason, KubeError, type KubeErrorKind, type NetworkFailure } from "./errors";
export type { ListOptions } from "./list";
export { type LivePeer, PRESHARED_KEY_SET } from "./objects";
export { requireSelfContained } from "./self-contained";
export { type Surroundings, thisMachine } from "./surroundings";
