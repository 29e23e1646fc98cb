import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { defaultContext } from "../toolchain/context";
import { ToolchainError } from "../toolchain/errors";
import { inspectGo } from "../toolchain/go-build";

const MODULES = ["sdks", "sdks-untested"];

/** Writes the SDKs that are generated, each into a directory of its language's name; needs Go and its module proxy. */
export async function generateSdks(schemaFile: string, directory: string): Promise<void> {
    const context = defaultContext();
    for (const module of MODULES) {
        const found = await inspectGo(context, { module });
        if (found.state !== "ready") {
            const have = found.state === "old" ? `the Go on PATH is ${found.version}` : "there is no Go on PATH";
            throw new ToolchainError(`The SDKs cannot be generated: ${have}.\n  Install Go 1.25.11 or newer.`);
        }
        await promisify(execFile)(found.go, ["run", ".", schemaFile, directory], {
            cwd: join(context.goModules, module),
            env: { ...context.env, GOFLAGS: "-buildvcs=false -trimpath -mod=readonly", GOWORK: "off" },
        });
    }
}
