import path from "node:path";
import type { MeshSpec } from "../provider/mesh/types";
import { readMeshFile, readMeshStream } from "./mesh-file";
import { exportStack } from "./stack/export";
import { readStack, type StackRecord } from "./stack/read-stack";

/** Where a mesh comes from: a file, `-` for the standard input, or a stack. */
export interface SourceRequest {
    readonly file: string;
    readonly stack?: string | undefined;
    /** Which mesh of the stack. */
    readonly mesh?: string | undefined;
    /** Directory of the Pulumi project. */
    readonly project?: string | undefined;
}

export interface SourceSurroundings {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
    /** The standard input, whole. */
    readonly input: () => Promise<string>;
}

export interface Source {
    /** With credentials. Secret! */
    readonly mesh: MeshSpec;
    /** What the stack has recorded of it; absent for a file. */
    readonly record?: StackRecord;
}

export async function readSource(
    { file, stack, mesh, project = "." }: SourceRequest,
    { env, cwd, input }: SourceSurroundings,
): Promise<Source> {
    if (stack !== undefined) {
        const directory = path.resolve(cwd, project);
        return readStack(await exportStack({ stack, directory, env }), { stack, directory, mesh });
    }
    return { mesh: file === "-" ? readMeshStream(await input(), cwd, env) : await readMeshFile(file, cwd, env) };
}
