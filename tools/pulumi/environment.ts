import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Toolchain } from "../toolchain";

/**
 * The whole environment for running the real CLI, or the Automation API, without network and without touching the
 * user's own Pulumi or kubeconfig: state, plugins and settings live under `directory`.
 */
export function pulumiEnvironment(tools: Pick<Toolchain, "binDir">, directory: string): Record<string, string> {
    const home = join(directory, ".pulumi-home");
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return {
        PATH: `${tools.binDir}${delimiter}${process.env.PATH ?? ""}`,
        HOME: directory,
        TMPDIR: tmpdir(),
        PULUMI_HOME: home,
        PULUMI_BACKEND_URL: pathToFileURL(directory).href,
        PULUMI_CONFIG_PASSPHRASE: "local",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    };
}
