import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "../process/lock";
import type { Context } from "./context";
import { explainFullDisk, ToolchainError } from "./errors";
import { withProgress } from "./progress";
import { stagingDirectory } from "./store";

/** Exact versions, by name. */
export type Packages = Readonly<Record<string, string>>;

/**
 * The node_modules directory with these packages and what they need, from the cache or installed with npm. It appears
 * whole or not at all. No script of a package runs.
 */
export async function npmPackages(context: Context, title: string, packages: Packages): Promise<string> {
    const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
    const key = createHash("sha256").update(names.sort().join("\n")).digest("hex").slice(0, 16);
    const target = join(context.cache, `npm-${key}`);
    const modules = join(target, "node_modules");
    if (await exists(modules)) return modules;
    return withLock(`${target}.lock`, async () => {
        if (!(await exists(modules))) {
            await withProgress(context, `Installing ${title} with npm`, 20, () => install(context, packages, target));
        }
        return modules;
    });
}

async function install(context: Context, packages: Packages, target: string): Promise<void> {
    const staging = await stagingDirectory(context);
    try {
        await writeFile(join(staging, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
        const args = [
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--loglevel=error",
        ];
        await promisify(execFile)("npm", args, { cwd: staging, env: context.env, maxBuffer: 1 << 26 });
        await rename(staging, target);
    } catch (error) {
        const explained = explainFullDisk(error, context.cache);
        if (explained instanceof ToolchainError) throw explained;
        throw new ToolchainError(`npm cannot install ${Object.keys(packages).join(", ")}: ${String(explained)}`, {
            cause: error,
        });
    } finally {
        await rm(staging, { recursive: true, force: true });
    }
}

const exists = (path: string): Promise<boolean> =>
    access(path).then(
        () => true,
        () => false,
    );
