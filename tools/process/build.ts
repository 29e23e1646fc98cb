import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildPlugin } from "../plugin/build";
import { bundleMetrics } from "./bundle-metrics";
import { ROOT, runProgram } from "./run-program";

const DIST = join(ROOT, "dist");
/** Not in `dist`, which is published. */
const STAMP = join(ROOT, ".local", "built-from");
const SOURCES = [
    ...["provider", "sdk", "cli", "tools/plugin", "tools/process"],
    ...["schema.json", "tsconfig.json", "tsconfig.build.json", "package-lock.json"],
];

/** Compiles the package and the plugin into an empty `dist`, so that nothing of a deleted source file is ever published. */
export async function buildPackage(): Promise<boolean> {
    rmSync(STAMP, { force: true });
    rmSync(DIST, { recursive: true, force: true });
    const sources = fingerprint();
    if ((await runProgram("typescript/bin/tsc", ["-p", "tsconfig.build.json"])) !== 0) return false;
    await bundleMetrics();
    await buildPlugin();
    mkdirSync(dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, sources);
    return true;
}

/** True when `dist` is what a build of the present sources gave. */
export function isBuilt(): boolean {
    return existsSync(DIST) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === fingerprint();
}

function fingerprint(): string {
    const hash = createHash("sha256");
    for (const file of SOURCES.flatMap(filesAt).sort()) {
        const { size, mtimeMs } = statSync(file);
        hash.update(JSON.stringify([file, size, mtimeMs]));
    }
    return hash.digest("hex");
}

function filesAt(name: string): string[] {
    const path = join(ROOT, name);
    if (!existsSync(path)) return [];
    if (statSync(path).isFile()) return [path];
    return readdirSync(path, { recursive: true, encoding: "utf8" }).map((entry) => join(path, entry));
}

if (require.main === module) {
    buildPackage().then((built) => {
        process.exitCode = built ? 0 : 1;
    });
}
