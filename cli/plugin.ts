import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { noSuch, UsageError } from "./failure";
import { packageVersion } from "./version";

/** `plugin install`: puts the plugin that is in this package where the engine looks for it. Returns what to say. */
export function installPlugin(action: string, env: Readonly<Record<string, string | undefined>>): string {
    if (action !== "install") throw noSuch(`plugin cannot ${JSON.stringify(action)}`, action, ["install"]);
    const source = path.join(__dirname, "..", "plugin");
    if (!existsSync(source)) {
        throw new UsageError("this is not the built package: it has no plugin", "Run npm run build first");
    }
    // A value that is set but empty means the default to the engine too.
    const home = env.PULUMI_HOME || path.join(env.HOME ?? homedir(), ".pulumi");
    const plugins = path.join(home, "plugins");
    const target = path.join(plugins, `resource-kilo-clustermesh-v${packageVersion()}`);
    try {
        mkdirSync(plugins, { recursive: true });
        replaceDirectory(source, target);
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new UsageError(
            `the plugin cannot be written to ${plugins}: ${reason}`,
            "Set PULUMI_HOME to a directory that you may write to, for this command and for pulumi",
        );
    }
    return `installed resource plugin kilo-clustermesh ${packageVersion()} in ${target}`;
}

/** The engine may look at any moment: the target is the old one, missing for an instant, then the new one, whole. */
function replaceDirectory(source: string, target: string): void {
    const staging = mkdtempSync(`${target}.new-`);
    try {
        cpSync(source, path.join(staging, "plugin"), { recursive: true });
        if (existsSync(target)) renameSync(target, path.join(staging, "old"));
        renameSync(path.join(staging, "plugin"), target);
    } finally {
        rmSync(staging, { recursive: true, force: true });
    }
}
