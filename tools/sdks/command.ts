import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../process/run-program";
import { generateSdks } from "./generate";
import { GENERATED } from "./generated";

/** `npm run sdks`: the generated SDKs as schema.json says now. What is written by hand there stays. */
async function main(): Promise<void> {
    const staging = mkdtempSync(join(tmpdir(), "kilo-sdks-"));
    try {
        await generateSdks(join(ROOT, "schema.json"), staging);
        for (const name of GENERATED) {
            rmSync(join(ROOT, "sdk", name), { recursive: true, force: true });
            cpSync(join(staging, name), join(ROOT, "sdk", name), { recursive: true });
        }
    } finally {
        rmSync(staging, { recursive: true, force: true });
    }
}

main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
});
