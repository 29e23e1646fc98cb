/** What `resource` says in the inputs of the dynamic host, by type. */
const RESOURCES: ReadonlyMap<string, string> = new Map([
    ["kilo-clustermesh:index:Mesh", "mesh"],
    ["kilo-clustermesh:index:Member", "member"],
    ["kilo-clustermesh:index:PeerSet", "peers"],
    ["kilo-clustermesh:index:Members", "members"],
    ["kilo-clustermesh:index:PeerSets", "peerSets"],
]);

/** `urn:pulumi:<stack>::<project>::<type of parent>$<type>::<name>` */
const typeOfUrn = (urn: string): string => urn.split("::")[2]?.split("$").at(-1) ?? "";

export function resourceOfUrn(urn: string): string {
    const type = typeOfUrn(urn);
    const resource = RESOURCES.get(type);
    if (resource !== undefined) return resource;
    throw new Error(
        `the plugin kilo-clustermesh has no resource ${type}: use ClusterMesh, which makes the resources it needs`,
    );
}
