import { execFile, spawn } from "node:child_process";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Context } from "./context";
import { explainFullDisk } from "./errors";
import { which } from "./locate";
import { type GoBuild, isAtLeast } from "./tool";

/** Whether this module can be built here, and if not, what is missing. */
export type GoState =
    | { readonly state: "ready"; readonly go: string }
    | { readonly state: "absent" }
    | { readonly state: "old"; readonly version: string; readonly required: string };

const GO_FLAGS = "-buildvcs=false -trimpath -mod=readonly";
const run = promisify(execFile);

export async function inspectGo(context: Context, { module }: Pick<GoBuild, "module">): Promise<GoState> {
    const go = await which(context.env, "go");
    if (go === undefined) return { state: "absent" };
    const directory = join(context.goModules, module);
    const required = /^go (\S+)/m.exec(await readFile(join(directory, "go.mod"), "utf8"))?.[1] ?? "1.25.0";
    const version = await goVersion(context, go, directory);
    return isAtLeast(version, required) ? { state: "ready", go } : { state: "old", version, required };
}

/** Asked inside the module: a Go that can fetch a newer toolchain by itself answers for the newer one. */
async function goVersion(context: Context, go: string, cwd: string): Promise<string> {
    for (const args of [["env", "GOVERSION"], ["version"]]) {
        try {
            const { stdout } = await run(go, args, { cwd, env: context.env });
            const version = /go(\d+\.\d+(\.\d+)?)/.exec(stdout)?.[1];
            if (version !== undefined) return version;
        } catch {
            // Very old versions do not know `go env GOVERSION`, and an old one may refuse the module's go line.
        }
    }
    return "0";
}

/** Compiles one tool from its pinned module into `output`. */
export async function goBuild(context: Context, go: string, build: GoBuild, output: string): Promise<void> {
    if (build.script !== undefined) {
        const directory = await goCommand(context, go, build, ["list", "-f", "{{.Dir}}", build.package]);
        return copyFile(join(directory.trim(), build.script), output);
    }
    await goCommand(context, go, build, ["build", "-ldflags", build.ldflags, "-o", output, build.package]);
}

async function goCommand(context: Context, go: string, build: GoBuild, args: readonly string[]): Promise<string> {
    const child = spawn(go, args, {
        cwd: join(context.goModules, build.module),
        env: { ...context.env, GOFLAGS: GO_FLAGS, GOWORK: "off" },
        stdio: ["ignore", "pipe", "pipe"],
    });
    const stop = () => child.kill();
    process.once("exit", stop);
    try {
        let [stdout, stderr] = ["", ""];
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
            stdout += chunk;
        });
        child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
            stderr = (stderr + chunk).slice(-16_384);
        });
        const code = await new Promise<number | null>((resolve, reject) => {
            child.once("error", reject);
            child.once("close", resolve);
        });
        if (code !== 0) throw explainFullDisk(new Error(lastLines(stderr, 12)), context.cache);
        return stdout;
    } finally {
        process.removeListener("exit", stop);
    }
}

function lastLines(text: string, count: number): string {
    return text.trim().split("\n").slice(-count).join("\n");
}
