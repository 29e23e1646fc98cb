import { issue, sortIssues } from "../report/findings";
import type { Issue, MeshSpec } from "../types";
import { clusterPath } from "./argument-path";
import { type Declared, overlapIssues, readDeclared } from "./declared-networks";

/** Meshes of one program against each other. Entries that name the same cluster are one cluster: a shared hub. */
export function crossMeshIssues(meshes: readonly MeshSpec[]): readonly Issue[] {
    const meshOf = new Map<object, number>();
    let order = 0;
    const declared = meshes.flatMap((mesh, i) =>
        readDeclared(mesh.clusters, clusterPath(mesh.byName, mesh.clusters))
            .byCluster.flat()
            .map(({ network, owner }): Declared => {
                const placed = { ...owner, path: `${mesh.mesh}/${owner.path}`, order: order++ };
                meshOf.set(placed, i);
                return { network, owner: placed };
            }),
    );
    const overlaps = overlapIssues(
        declared,
        ({ outer, inner }) =>
            outer.owner.cluster !== inner.owner.cluster && meshOf.get(outer.owner) !== meshOf.get(inner.owner),
    );
    return sortIssues([...overlaps, ...meshes.flatMap((mesh, i) => sameName(mesh, meshes.slice(0, i)))]);
}

/** Two meshes of one name with two clusters in common would give different peers the same name. */
function sameName(mesh: MeshSpec, earlier: readonly MeshSpec[]): readonly Issue[] {
    const names = new Set(mesh.clusters.map(({ name }) => name));
    return earlier.flatMap((other) => {
        const shared = other.clusters.map(({ name }) => name).filter((name) => names.has(name));
        if (other.mesh !== mesh.mesh || shared.length < 2) return [];
        return [issue("MeshNameDuplicate", { path: mesh.mesh, mesh: mesh.mesh, shared })];
    });
}
