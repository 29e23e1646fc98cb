import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "../process/lock";
import type { Context } from "./context";
import { download, reason } from "./download";
import { ToolchainError } from "./errors";
import { goBuild, inspectGo } from "./go-build";
import { reportedVersion } from "./locate";
import { duration, withProgress } from "./progress";
import { clearAbandoned, type Entry, keep, lookUp, stagingDirectory } from "./store";
import type { Download, Tool } from "./tool";

/** Finds the tools in the cache; what is not there is downloaded, else built. One process at a time does that. */
export async function obtain(context: Context, tools: readonly Tool[]): Promise<ReadonlyMap<string, string>> {
    const paths = new Map<string, string>();
    let missing = await fromCache(context, tools, paths);
    if (missing.length === 0) return paths;
    const onWait = (pid: number) => context.log(`Process ${pid} is getting the tools already: waiting for it`);
    await withLock(
        join(context.cache, "lock"),
        async () => {
            await clearAbandoned(context);
            missing = await fromCache(context, missing, paths, (line) => context.log(line));
            const failures = await fromDownloads(context, missing, paths);
            missing = missing.filter(({ name }) => !paths.has(name));
            await fromSource(context, missing, paths, failures);
        },
        { onWait },
    );
    return paths;
}

async function fromCache(
    context: Context,
    tools: readonly Tool[],
    paths: Map<string, string>,
    log: (line: string) => void = () => undefined,
): Promise<readonly Tool[]> {
    for (const tool of tools) {
        for (const version of acceptedVersions(context, tool)) {
            const found = await lookUp(context, { name: tool.name, version });
            if (found.state === "corrupt") log(`The cached ${tool.name} ${version} is damaged: getting it again`);
            if (found.state !== "good") continue;
            paths.set(tool.name, found.path);
            break;
        }
    }
    return tools.filter(({ name }) => !paths.has(name));
}

function acceptedVersions({ platform, arch }: Context, { download: published, build }: Tool): readonly string[] {
    const version = published?.(platform, arch)?.version;
    return version === undefined || version === build.version ? [build.version] : [version, build.version];
}

/** Tries every download at once, so that an unreachable network costs one timeout. Returns why each failed. */
async function fromDownloads(
    context: Context,
    tools: readonly Tool[],
    paths: Map<string, string>,
): Promise<ReadonlyMap<string, string>> {
    const archives = new Map<string, { source: Download; tools: Tool[] }>();
    for (const tool of tools) {
        const source = tool.download?.(context.platform, context.arch);
        if (source === undefined) continue;
        const archive = archives.get(source.url) ?? { source, tools: [] };
        archive.tools.push(tool);
        archives.set(source.url, archive);
    }
    const failures = new Map<string, string>();
    await Promise.all(
        [...archives.values()].map(async ({ source, tools: wanted }) => {
            const names = wanted.map(({ name }) => name).join(" and ");
            try {
                await fromArchive(context, source, wanted, paths);
                context.log(`Downloaded ${names} ${source.version}`);
            } catch (error) {
                if (error instanceof ToolchainError) throw error;
                context.log(`No download of ${names} (${reason(error)})`);
                for (const { name } of wanted) failures.set(name, reason(error));
            }
        }),
    );
    return failures;
}

async function fromArchive(
    context: Context,
    source: Download,
    tools: readonly Tool[],
    paths: Map<string, string>,
): Promise<void> {
    const staging = await stagingDirectory(context);
    try {
        const members = tools.map((tool) => tool.download?.(context.platform, context.arch)?.member);
        const files = await download(context, source, members, staging);
        for (const [at, tool] of tools.entries()) {
            const entry = { name: tool.name, version: source.version };
            paths.set(tool.name, await keep(context, entry, files[at]!));
        }
    } finally {
        await rm(staging, { recursive: true, force: true });
    }
}

async function fromSource(
    context: Context,
    tools: readonly Tool[],
    paths: Map<string, string>,
    failures: ReadonlyMap<string, string>,
): Promise<void> {
    if (tools.length === 0) return;
    const compilers = new Map<string, string>();
    for (const { build } of tools) {
        const found = await inspectGo(context, build);
        if (found.state === "absent") throw cannotBuild(tools, failures, "there is no Go on PATH to build them with");
        if (found.state === "old") {
            const why = `the Go on PATH is ${found.version}, and ${found.required} or newer is needed to build them`;
            throw cannotBuild(tools, failures, why);
        }
        compilers.set(build.module, found.go);
    }
    const total = tools.reduce((sum, { build }) => sum + build.usually, 0);
    context.log(`Building ${tools.length} tools with Go, once: usually ${duration(total)} on two cores, then cached`);
    for (const tool of tools) await buildOne(context, tool, compilers.get(tool.build.module)!, paths);
}

async function buildOne(context: Context, tool: Tool, go: string, paths: Map<string, string>): Promise<void> {
    const entry: Entry = { name: tool.name, version: tool.build.version };
    const staging = await stagingDirectory(context);
    try {
        const output = join(staging, "out", tool.name);
        await mkdir(join(staging, "out"));
        await withProgress(context, `Compiling ${entry.name} ${entry.version}`, tool.build.usually, () =>
            goBuild(context, go, tool.build, output),
        );
        if (tool.probe !== undefined && (await reportedVersion(output, tool.probe)) === undefined) {
            throw new Error("it was built but does not run");
        }
        paths.set(tool.name, await keep(context, entry, output));
    } catch (error) {
        if (error instanceof ToolchainError) throw error;
        throw new ToolchainError(
            `Building ${entry.name} ${entry.version} failed:\n${indent(reason(error))}\n${ADVICE}`,
            {
                cause: error,
            },
        );
    } finally {
        await rm(staging, { recursive: true, force: true });
    }
}

const ADVICE =
    "  Go fetches the pinned modules from a module proxy: see `go env GOPROXY`. Without one, install the tools yourself\n" +
    "  and put them on PATH (Pulumi: https://www.pulumi.com/docs/install, kube-apiserver, etcd and kubectl: a directory\n" +
    "  named by KUBEBUILDER_ASSETS), or let this machine reach github.com and dl.k8s.io.";

function cannotBuild(tools: readonly Tool[], failures: ReadonlyMap<string, string>, why: string): ToolchainError {
    const lines = tools.map(({ name, variable }) => {
        const failure = failures.get(name);
        return `  - ${name} (or set ${variable})${failure === undefined ? "" : `: ${failure}`}`;
    });
    return new ToolchainError(
        `These tools are missing and could not be downloaded, and ${why}:\n${lines.join("\n")}\n` +
            "  Install Go 1.25.11 or newer (https://go.dev/dl) and run the command again.\n" +
            "  Other ways: let this machine reach github.com and dl.k8s.io, or install the tools and put them on PATH.",
    );
}

function indent(text: string): string {
    return text.replace(/^/gm, "    ");
}
