import type { Alias } from "@pulumi/pulumi";

export type ChildType = "Mesh" | "Member" | "PeerSet" | "Members" | "PeerSets";

const dynamicType = (type: ChildType): string => `pulumi-nodejs:dynamic/kilo-clustermesh:${type}`;
const pluginType = (type: ChildType): string => `kilo-clustermesh:index:${type}`;

let isPlugin = false;

/** From now on the children are resources of the plugin, in whose process we are; in a program they are dynamic ones. */
export function servedByPlugin(): void {
    isPlugin = true;
}

export const isServedByPlugin = (): boolean => isPlugin;

/** The type of a child on this host, and as an alias on the other: a stack moves between them in both directions. */
export function childType(type: ChildType): { readonly token: string; readonly aliases: Alias[] } {
    const [here, there] = isPlugin ? [pluginType(type), dynamicType(type)] : [dynamicType(type), pluginType(type)];
    return { token: here, aliases: [{ type: there }] };
}
