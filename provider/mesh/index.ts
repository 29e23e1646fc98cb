export { capacityOf } from "./capacity";
export { crossMeshIssues } from "./cross-mesh";
export { readDiscovered } from "./discovered";
export { endpointNames } from "./endpoint";
export { readNodes } from "./facts";
export { decodeFacts, encodeFacts } from "./facts-text";
export { type GraphCluster, type GraphLink, renderGraph } from "./graph";
export { joinLines, splitLines } from "./line-list";
export { type MergedFacts, mergeFacts } from "./merge-facts";
export {
    CLAIM_LABEL,
    CONFIGURED_ANNOTATION,
    DISCOVERED_ANNOTATION,
    isOurs,
    MANAGED_BY,
    MANAGED_BY_LABEL,
    MESH_LABEL,
    NO_ENDPOINT,
    OWNER_ANNOTATION,
    peerName,
    SOURCE_LABEL,
} from "./names";
export { decodePeer, encodePeer, lineOfLive, type PeerText } from "./peer-text";
export { planFromFacts } from "./plan";
export { planMesh } from "./plan-mesh";
export { linkedPairs } from "./topology";
export type * from "./types";
export { type CheckOptions, parseMesh, validateMesh } from "./validate";
