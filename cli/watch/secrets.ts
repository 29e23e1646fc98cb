import { parse } from "yaml";
import type { MeshSpec } from "../../provider/mesh/types";
import { isPath } from "../mesh-file";

const SHORTEST = 8;

/** Everything in the users of the kubeconfigs of a mesh: none of it may show up in a log. Paths are not read. */
export const secretsOf = ({ clusters }: MeshSpec): readonly string[] =>
    clusters.flatMap(({ kubeconfig }) =>
        kubeconfig === undefined || isPath(kubeconfig) ? [] : textsIn(usersOf(kubeconfig)),
    );

function usersOf(kubeconfig: string): unknown {
    try {
        return (parse(kubeconfig) as { users?: unknown } | null)?.users;
    } catch {
        return undefined;
    }
}

const textsIn = (value: unknown): readonly string[] => {
    if (typeof value === "string") return value.length < SHORTEST ? [] : [value];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
