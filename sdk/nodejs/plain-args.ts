import * as pulumi from "@pulumi/pulumi";
import { clusterList, inFormOf } from "../../provider/mesh/args/cluster-forms";
import type { ClusterMeshArgs } from "./args/cluster-mesh-args";

const isLater = (value: unknown): boolean => pulumi.Output.isInstance(value) || value instanceof Promise;

const containsLater = (value: unknown): boolean =>
    isLater(value) || (typeof value === "object" && value !== null && Object.values(value).some(containsLater));

/** The fields that come late, and those that are there. */
export function lateFields<T extends object>(bag: T): Partial<T> {
    return Object.fromEntries(Object.entries(bag).filter(([, value]) => containsLater(value))) as Partial<T>;
}

const plainFields = (bag: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(bag).filter(([, value]) => value !== undefined && !containsLater(value)));

export interface PlainArgs {
    readonly known: Readonly<Record<string, unknown>>;
    /** Nothing comes late. */
    readonly isAll: boolean;
}

/** The arguments that are known while the program runs; the rest is checked as soon as it is known. */
export function plainArgs(args: ClusterMeshArgs): PlainArgs {
    const { clusters, meshName: _, ...rest } = args;
    const known = clusterList(clusters).map((cluster) => plainFields(cluster));
    return { known: { ...plainFields(rest), clusters: inFormOf(clusters, known) }, isAll: !containsLater(args) };
}
