/**
 * By kind of resource, what is recorded as `schemaVersion`: a package that is older than a state refuses to touch it.
 * Members: 2 has words in the facts of nodes where 1 had letters.
 */
export const SCHEMA_VERSIONS = { mesh: 1, member: 2, peers: 1, members: 1, peerSets: 1 } as const;
