import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

const NAME = "pulumi-kilo-clustermesh";

/** Where tools, and records of running local clusters, are kept for this user. */
export function cacheDirectory(
    env: NodeJS.ProcessEnv = process.env,
    platform: NodeJS.Platform = process.platform,
): string {
    const override = env.KILO_CLUSTERMESH_CACHE;
    if (override !== undefined && override !== "") {
        if (isAbsolute(override)) return override;
        throw new Error(`KILO_CLUSTERMESH_CACHE is "${override}": give an absolute path`);
    }
    // The XDG rules say that a relative value is to be ignored.
    if (env.XDG_CACHE_HOME !== undefined && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, NAME);
    const home = env.HOME ?? homedir();
    if (platform === "darwin") return join(home, "Library", "Caches", NAME);
    if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), NAME);
    return join(home, ".cache", NAME);
}
