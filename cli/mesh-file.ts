import { readFile } from "node:fs/promises";
import path from "node:path";
import { overrideVariable } from "../provider/kube/auth/access";
import { looksEncoded } from "../provider/kube/auth/encoded";
import { isByName } from "../provider/mesh/args/cluster-forms";
import { parseMesh } from "../provider/mesh/args/validate";
import type { Issue, MeshSpec } from "../provider/mesh/types";
import { count } from "../provider/values/show";
import { own } from "../provider/values/untrusted";
import { UsageError } from "./failure";
import { visible } from "./render/visible";
import { NotYaml, type ParsedYaml, parseYaml } from "./yaml-lines";

/** What the mesh file says, checked. Kubeconfig paths are absolute. */
export async function readMeshFile(file: string, cwd: string, env: Env): Promise<MeshSpec> {
    const absolute = path.resolve(cwd, file);
    return parseMeshText(await readText(absolute, file), file, path.dirname(absolute), { env });
}

/** The same from the standard input; paths in it are relative to the working directory. */
export const readMeshStream = (text: string, cwd: string, env: Env): MeshSpec =>
    parseMeshText(text, "the standard input", cwd, { env });

type Env = Readonly<Record<string, string | undefined>>;

async function readText(absolute: string, file: string): Promise<string> {
    try {
        return await readFile(absolute, "utf8");
    } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new UsageError(
            code === "ENOENT" ? `there is no file ${file}` : `${file} cannot be read (${code ?? "unknown error"})`,
            "Name the mesh file with --file; kilo-clustermesh --help shows one",
        );
    }
}

export interface ParseOptions {
    /** How to reach the clusters is said elsewhere: in the state of a stack. */
    readonly credentialsElsewhere?: boolean;
    /** A cluster whose kubeconfig is here (`KILO_CLUSTERMESH_KUBECONFIG_<CLUSTER>`) needs none in the file. */
    readonly env?: Env;
}

export function parseMeshText(
    text: string,
    file: string,
    directory: string,
    { credentialsElsewhere = false, env = {} }: ParseOptions = {},
): MeshSpec {
    const { value, lineOf } = parse(text, file);
    const given = withAbsolutePaths(value, directory);
    const strict = parseMesh(given, { requireAccess: !credentialsElsewhere });
    const { mesh, issues } = onlyOverridden(strict.issues, given, env) ? parseMesh(given) : strict;
    if (mesh !== undefined) return mesh;
    const errors = issues.filter(({ severity }) => severity === "error");
    throw new UsageError(
        [
            `${file}: ${count(errors.length, "error")}; no cluster was contacted`,
            ...errors.map((issue) => describe(issue, file, lineOf)),
        ].join("\n"),
    );
}

/** Nothing is wrong but that kubeconfigs are missing which the environment has. */
function onlyOverridden(issues: readonly Issue[], given: unknown, env: Env): boolean {
    const { clusters } = (given ?? {}) as { clusters?: readonly { readonly name?: unknown }[] };
    return issues
        .filter(({ severity }) => severity === "error")
        .every(({ code, path: where }) => {
            const name = clusters?.[Number(/^clusters\[(\d+)\]$/.exec(where)?.[1])]?.name;
            return code === "AccessMissing" && typeof name === "string" && Boolean(env[overrideVariable(name)]);
        });
}

const describe = ({ path: where, message, fix }: Issue, file: string, lineOf: ParsedYaml["lineOf"]): string => {
    const line = lineOf(where);
    return visible(
        `  ${file}${line === undefined ? "" : `:${line}`}  ${where === "" ? "" : `${where}: `}${message}. ${fix}`,
    );
};

function parse(text: string, file: string): ParsedYaml {
    try {
        return parseYaml(text);
    } catch (error) {
        if (!(error instanceof NotYaml)) throw error;
        const { position, reason } = error;
        throw new UsageError(
            `${file}${position === undefined ? "" : `:${position.line}:${position.col}`} is not YAML: ${reason}`,
            "Correct that line; kilo-clustermesh --help shows a mesh file",
        );
    }
}

/** A path in the file is relative to the file, wherever the command runs. */
function withAbsolutePaths(value: unknown, directory: string): unknown {
    const clusters = own(value, "clusters");
    if (Array.isArray(clusters))
        return { ...(value as object), clusters: clusters.map((each) => absolute(each, directory)) };
    if (!isByName(clusters)) return value;
    const entries = Object.entries(clusters).map(([name, each]) => [name, absolute(each, directory)] as const);
    return { ...(value as object), clusters: Object.fromEntries(entries) };
}

function absolute(cluster: unknown, directory: string): unknown {
    const kubeconfig = own(cluster, "kubeconfig");
    if (!isRelativePath(kubeconfig)) return cluster;
    return { ...(cluster as object), kubeconfig: path.resolve(directory, kubeconfig.trim()) };
}

/** Content has lines or braces, or is encoded; `~` is the home directory (see provider/kube/auth/access.ts). */
export const isPath = (kubeconfig: string): boolean => {
    const text = kubeconfig.trim();
    return text !== "" && !text.includes("\n") && !text.startsWith("{") && !looksEncoded(text);
};

export const isRelativePath = (kubeconfig: unknown): kubeconfig is string =>
    typeof kubeconfig === "string" && isPath(kubeconfig) && !/^~($|[/\\])/.test(kubeconfig.trim());
