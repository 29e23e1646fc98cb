import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Context } from "./context";
import { installOnce } from "./install-once";

/** Exact versions, by name. */
export type Packages = Readonly<Record<string, string>>;

const INSTALL = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];

/**
 * The node_modules directory with these packages and what they need, from the cache or installed with npm. No script of
 * a package runs.
 */
export async function npmPackages(context: Context, title: string, packages: Packages): Promise<string> {
    const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
    const key = createHash("sha256").update(names.sort().join("\n")).digest("hex").slice(0, 16);
    const target = join(context.cache, `npm-${key}`);
    await installOnce(context, {
        target,
        doing: `Installing ${title} with npm`,
        failed: `npm cannot install ${Object.keys(packages).join(", ")}`,
        fill: async (directory) => {
            await writeFile(join(directory, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
            await promisify(execFile)("npm", INSTALL, { cwd: directory, env: context.env, maxBuffer: 1 << 26 });
        },
    });
    return join(target, "node_modules");
}
