import * as pulumi from "@pulumi/pulumi";
import { crossMeshIssues, type Issue, type MeshSpec } from "../provider/mesh/index";

/** The meshes of each running program, in the order they were made. One process may run several programs. */
const programs = new WeakMap<object, Promise<MeshSpec | undefined>[]>();

/**
 * Checks a mesh against those made before it in the same program. What is not known yet cannot collide with anything
 * that is written now.
 */
export async function checkSiblings(own: Promise<MeshSpec | undefined>): Promise<readonly Issue[]> {
    const program = pulumi.runtime.getStackResource();
    if (program === undefined) return [];
    const earlier = programs.get(program) ?? [];
    programs.set(program, [...earlier, own.catch(() => undefined)]);
    const meshes = await Promise.all([...earlier, own]);
    return crossMeshIssues(meshes.filter((mesh) => mesh !== undefined));
}
