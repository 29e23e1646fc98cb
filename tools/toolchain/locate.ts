import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Context } from "./context";
import { ToolchainError } from "./errors";
import { isAtLeast, type Tool, type VersionProbe } from "./tool";

const run = promisify(execFile);

/** A tool that is already on this machine: named by a variable, in KUBEBUILDER_ASSETS, or a suitable one on PATH. */
export async function locate(
    context: Context,
    tool: Tool,
    located: ReadonlyMap<string, string>,
): Promise<string | undefined> {
    return (
        (await fromVariable(context, tool)) ??
        (await fromKubebuilder(context, tool)) ??
        fromPath(context, tool, located)
    );
}

/** The version a program reports, or undefined when it cannot be run. */
export async function reportedVersion(file: string, { args, pattern }: VersionProbe): Promise<string | undefined> {
    try {
        // Not the caller's directory or configuration: `pulumi version` must not look at a project.
        const { stdout, stderr } = await run(file, [...args], {
            timeout: 60_000,
            env: { PATH: process.env.PATH, HOME: process.env.HOME, PULUMI_SKIP_UPDATE_CHECK: "true" },
        });
        return pattern.exec(`${stdout}\n${stderr}`)?.[1];
    } catch {
        return undefined;
    }
}

/** The file that the tool's environment variable names. One that cannot be run is an error, not a reason to look on. */
export async function fromVariable(
    { env }: Pick<Context, "env">,
    tool: Pick<Tool, "name" | "variable">,
): Promise<string | undefined> {
    const value = env[tool.variable];
    if (value === undefined || value === "") return undefined;
    const path = resolve(value);
    if (await isExecutable(path)) return path;
    throw new ToolchainError(
        `${tool.variable} is ${path}, which is not an executable file.\n` +
            `  Point it at ${tool.name}, or unset it and the tool is found or built for you.`,
    );
}

async function fromKubebuilder({ env }: Context, tool: Tool): Promise<string | undefined> {
    const assets = env.KUBEBUILDER_ASSETS;
    if (tool.kubebuilder !== true || assets === undefined || assets === "") return undefined;
    const path = resolve(assets, tool.name);
    if (await isExecutable(path)) return path;
    throw new ToolchainError(
        `KUBEBUILDER_ASSETS is ${resolve(assets)}, but ${tool.name} is not in it.\n` +
            "  Point it at a directory with kube-apiserver, etcd and kubectl, or unset it.",
    );
}

async function fromPath(
    context: Context,
    tool: Tool,
    located: ReadonlyMap<string, string>,
): Promise<string | undefined> {
    if (tool.beside !== undefined) return fromNeighbour(tool, located.get(tool.beside));
    const path = await which(context.env, tool.name);
    if (path === undefined || tool.probe === undefined) return undefined;
    const version = await reportedVersion(path, tool.probe);
    if (version !== undefined && isAtLeast(version, tool.probe.atLeast)) return path;
    const fault = version === undefined ? "does not tell its version" : `is ${version}`;
    context.log(`${tool.name} on PATH ${fault}, ${tool.probe.atLeast} or newer is needed: not used`);
    return undefined;
}

/** Installations of Pulumi keep the language hosts beside the CLI; one from elsewhere may be of any version. */
async function fromNeighbour(tool: Tool, neighbour: string | undefined): Promise<string | undefined> {
    if (neighbour === undefined) return undefined;
    const path = join(dirname(await realpath(neighbour)), tool.name);
    return (await isExecutable(path)) ? path : undefined;
}

export async function which(env: NodeJS.ProcessEnv, name: string): Promise<string | undefined> {
    for (const directory of (env.PATH ?? "").split(delimiter)) {
        const path = resolve(directory, name);
        if (directory !== "" && (await isExecutable(path))) return path;
    }
    return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
    try {
        await access(path, constants.X_OK);
        return (await stat(path)).isFile();
    } catch {
        return false;
    }
}
