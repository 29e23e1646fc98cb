import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Context } from "./context";
import { ToolchainError } from "./errors";
import { installOnce } from "./install-once";
import { which } from "./locate";

/** A Python that can run Pulumi programs. */
export interface Python {
    /** The directory of the `python3` program itself, not of a wrapper that chooses one. */
    readonly bin: string;
    /** A directory for PYTHONPATH: the Pulumi SDK and what it needs. */
    readonly packages: string;
}

const run = promisify(execFile);
const REQUIREMENTS = join(__dirname, "..", "python", "requirements.txt");

/** What this machine lacks for Python programs, or undefined when it lacks nothing. */
export function lackingForPython({ env }: Pick<Context, "env">): string | undefined {
    const ask = "import sys, pip; assert sys.version_info >= (3, 10)";
    const { error, status } = spawnSync("python3", ["-c", ask], { env, stdio: "ignore" });
    if (error !== undefined) return "there is no python3 on PATH";
    return status === 0 ? undefined : "there is no pip, or nothing newer than 3.9, behind the python3 on PATH";
}

/** The pinned packages for the Python on PATH, from the cache or installed with pip. They appear whole or not at all. */
export async function pythonPackages(context: Context): Promise<Python> {
    const lacking = lackingForPython(context);
    if (lacking !== undefined) {
        throw new ToolchainError(
            `Python programs cannot be run: ${lacking}.\n  Install Python 3.10 or newer with pip.`,
        );
    }
    const python = (await which(context.env, "python3"))!;
    const ask = ["-c", "import sys; print(sys.executable); print(sys.implementation.cache_tag)"];
    const [executable = "", tag = ""] = (await run(python, ask, { env: context.env })).stdout.split("\n");
    const key = createHash("sha256")
        .update(await readFile(REQUIREMENTS))
        .update(tag)
        .digest("hex")
        .slice(0, 16);
    const packages = join(context.cache, `python-${key}`);
    const checked = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", REQUIREMENTS];
    const quiet = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
    await installOnce(context, {
        target: packages,
        doing: "Installing the Pulumi SDK for Python with pip",
        failed: "pip cannot install the Pulumi SDK for Python",
        fill: (directory) =>
            run(executable, ["-m", "pip", "install", ...quiet, ...checked, "--target", directory], {
                env: context.env,
                maxBuffer: 1 << 26,
            }),
    });
    return { bin: dirname(executable), packages };
}
