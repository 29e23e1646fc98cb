import { rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runProgram } from "./run-program";

/** Compiles the package into an empty `dist`, so that nothing of a deleted source file is ever published. */
export async function buildPackage(): Promise<boolean> {
    rmSync(join(ROOT, "dist"), { recursive: true, force: true });
    return (await runProgram("typescript/bin/tsc", ["-p", "tsconfig.build.json"])) === 0;
}

if (require.main === module) {
    buildPackage().then((built) => {
        process.exitCode = built ? 0 : 1;
    });
}
