import { shown } from "../../values/show";

export type Path = readonly PropertyKey[];

/** `clusters[1].podCIDRs[0]`. Field names may be anything a caller passed, so odd ones are quoted. */
export function pathText(path: Path): string {
    return path.reduce<string>((text, key) => {
        if (typeof key === "number") return `${text}[${key}]`;
        const name = String(key);
        if (!/^[\w-]{1,80}$/.test(name)) return `${text}[${shown(name)}]`;
        return text === "" ? name : `${text}.${name}`;
    }, "");
}

/** Where a cluster stands in the arguments: `clusters[1]` in a list, `clusters.berlin` in a map. */
export const clusterPath =
    (byName: boolean | undefined, clusters: readonly ({ readonly name?: string | undefined } | undefined)[]) =>
    (position: number): string =>
        pathText(["clusters", (byName === true ? clusters[position]?.name : undefined) ?? position]);
