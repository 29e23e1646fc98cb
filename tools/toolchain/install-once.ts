import { access, rename, rm } from "node:fs/promises";
import { withLock } from "../process/lock";
import type { Context } from "./context";
import { explainFullDisk, ToolchainError } from "./errors";
import { withProgress } from "./progress";
import { stagingDirectory } from "./store";

export interface Installation {
    readonly target: string;
    /** What is said while it goes on, and when it fails. */
    readonly doing: string;
    readonly failed: string;
    /** Fills an empty directory. */
    readonly fill: (directory: string) => Promise<unknown>;
}

/** Makes a directory in the cache that appears whole or not at all; one that is there is taken as it is. */
export async function installOnce(context: Context, { target, doing, failed, fill }: Installation): Promise<void> {
    if (await exists(target)) return;
    await withLock(`${target}.lock`, async () => {
        if (await exists(target)) return;
        const staging = await stagingDirectory(context);
        try {
            await withProgress(context, doing, 20, () => fill(staging));
            await rename(staging, target);
        } catch (error) {
            const explained = explainFullDisk(error, context.cache);
            if (explained instanceof ToolchainError) throw explained;
            throw new ToolchainError(`${failed}: ${String(explained)}`, { cause: error });
        } finally {
            await rm(staging, { recursive: true, force: true });
        }
    });
}

const exists = (path: string): Promise<boolean> =>
    access(path).then(
        () => true,
        () => false,
    );
