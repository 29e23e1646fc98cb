/** What every object that we write is marked with. */
export const MESH_LABEL = "kilo-clustermesh.io/mesh";
export const SOURCE_LABEL = "kilo-clustermesh.io/source-cluster";
export const CLAIM_LABEL = "kilo-clustermesh.io/claim";
export const MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";
export const MANAGED_BY = "pulumi";
/** In clear, for people only: organization/project/stack/mesh. */
export const OWNER_ANNOTATION = "kilo-clustermesh.io/owner";
/** The observed endpoint that a peer was given, and the configured one it replaced (`none` where there was none). */
export const DISCOVERED_ANNOTATION = "kilo-clustermesh.io/discovered-endpoint";
export const CONFIGURED_ANNOTATION = "kilo-clustermesh.io/configured-endpoint";
export const NO_ENDPOINT = "none";
/** The random id of the mesh: tells its objects from those of every other mesh, whatever their names. */
export const MESH_ID_LABEL = "kilo-clustermesh.io/mesh-id";
/** On a node: `"true"` keeps its networks out of the mesh. */
export const IGNORE_ANNOTATION = "kilo-clustermesh.io/ignore";
