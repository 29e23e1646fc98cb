import * as pulumi from "@pulumi/pulumi";
import { crossMeshIssues } from "../../provider/mesh/args/cross-mesh";
import type { Issue, MeshSpec } from "../../provider/mesh/types";

interface Entry {
    /** What was known when the mesh was made, and later all of it. */
    known: MeshSpec | undefined;
}

/** The meshes of each running program. One process may run several programs. */
const programs = new WeakMap<object, Entry[]>();

/**
 * Makes a mesh known to the others of its program, as far as it is known while the program still runs: so the first mesh
 * is held up by a collision with the last. Returns the check, to be made once all of it is known.
 */
export function joinSiblings(plain: MeshSpec | undefined): (resolved: MeshSpec | undefined) => readonly Issue[] {
    const program = pulumi.runtime.getStackResource();
    if (program === undefined) return () => [];
    const entries = programs.get(program) ?? [];
    programs.set(program, entries);
    const own: Entry = { known: plain };
    entries.push(own);
    return (resolved) => {
        own.known = resolved ?? plain;
        return crossMeshIssues(entries.flatMap(({ known }) => known ?? []));
    };
}
