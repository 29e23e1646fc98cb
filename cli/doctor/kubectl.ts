import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { ClusterSpec } from "../../provider/mesh/types";
import { isPath } from "../mesh-file";

/** A word for a POSIX shell; names come from clusters and must not become commands. */
export const quoted = (word: string): string =>
    /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;

/** The command that does `args` in this cluster, with the credentials of the mesh file: reads of nodes and peers. */
export function kubectl(cluster: ClusterSpec, cwd: string, ...args: readonly string[]): string {
    return ["kubectl", ...access(cluster, cwd), ...args].join(" ");
}

/**
 * A command that needs more than docs/rbac.yaml gives the mesh's account. Whose credentials those are, only the user
 * knows, so it says where to run it instead of naming a kubeconfig that would be refused.
 */
export const asAdministrator = (cluster: string, ...args: readonly string[]): string =>
    `kubectl ${args.join(" ")}   # as an administrator of ${cluster}`;

function access({ name, kubeconfig, context, local }: ClusterSpec, cwd: string): string[] {
    const chosen = context === undefined ? [] : ["--context", quoted(context)];
    if (kubeconfig !== undefined && hasKubeconfigFile({ kubeconfig }))
        return ["--kubeconfig", quoted(nearby(kubeconfig, cwd)), ...chosen];
    // Content, or a Secret in another cluster: there is no file that could be named.
    return local === true ? chosen : ["--kubeconfig", `${name}.kubeconfig`, ...chosen];
}

/** Only a file that exists is ever named: what looks like a path may be a token or an encoded kubeconfig. */
export function hasKubeconfigFile({ kubeconfig }: Pick<ClusterSpec, "kubeconfig">): boolean {
    return (
        kubeconfig !== undefined &&
        isPath(kubeconfig) &&
        existsSync(kubeconfig.trim().replace(/^~(?=$|[/\\])/, homedir()))
    );
}

function nearby(file: string, cwd: string): string {
    const relative = path.relative(cwd, file);
    return relative === "" || relative.startsWith("..") || file.startsWith("~") ? file : relative;
}
