import { isRecord } from "../../values/untrusted";

/** `clusters` as users write it: a list of named entries, or a map by name. */
export type ClusterForms<T extends { readonly name: string }> =
    | readonly T[]
    | Readonly<Record<string, Omit<T, "name">>>;

export const isByName = (clusters: unknown): clusters is Readonly<Record<string, unknown>> =>
    isRecord(clusters) && !Array.isArray(clusters);

/** Both forms as the list, for values that have the right types. */
export const clusterList = <T extends { readonly name: string }>(clusters: ClusterForms<T>): readonly T[] =>
    isByName(clusters) ? (namedEntries(clusters) as readonly T[]) : (clusters as readonly T[]);

/** The entries of a map, each with its name in it. What is no entry stays as it is, to be found wrong. */
export const namedEntries = (clusters: Readonly<Record<string, unknown>>): readonly unknown[] =>
    Object.entries(clusters).map(([name, given]) => {
        if (!isRecord(given)) return given;
        const { name: _, ...entry } = given;
        return { name, ...entry };
    });

/** Entries of a list, each with its name, back in the form that the user chose: findings name places in that form. */
export function inFormOf(given: unknown, entries: readonly { readonly name?: unknown }[]): unknown {
    if (!isByName(given)) return entries;
    return Object.fromEntries(entries.map(({ name, ...entry }) => [String(name), entry]));
}
