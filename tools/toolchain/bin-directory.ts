import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, link, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Context } from "./context";
import { explainFullDisk } from "./errors";
import { stagingDirectory } from "./store";

/**
 * One directory with the CLI, the language hosts and the dynamic-provider host side by side. The CLI takes what lies
 * beside it as its own; hosts found elsewhere on PATH make it print a warning at every run.
 */
export async function binDirectory(
    context: Context,
    { cli, languageHosts, providerHost }: { cli: string; languageHosts: readonly string[]; providerHost: string },
): Promise<string> {
    const files = [cli, ...languageHosts, providerHost];
    const names = files.map((file) => basename(file));
    const real = await Promise.all(files.map((file) => realpath(file)));
    const home = dirname(real[0]!);
    const complete =
        real.slice(1, -1).every((host) => dirname(host) === home) && (await readdir(home)).includes(names.at(-1)!);
    return complete ? home : assemble(context, names, real);
}

async function assemble(context: Context, names: readonly string[], files: readonly string[]): Promise<string> {
    const stamp = createHash("sha256");
    for (const file of files) {
        const { size, mtimeMs, ino } = await stat(file);
        stamp.update(JSON.stringify([file, size, mtimeMs, ino]));
    }
    const target = join(context.cache, `bin-${stamp.digest("hex").slice(0, 16)}`);
    const complete = await readdir(target).then(
        (found) => names.every((name) => found.includes(name)),
        () => false,
    );
    if (complete) return target;
    const staging = await stagingDirectory(context);
    try {
        for (const [at, file] of files.entries()) await place(file, join(staging, names[at]!));
        await mkdir(context.cache, { recursive: true });
        await rename(staging, target).catch(async (error: NodeJS.ErrnoException) => {
            // Another process was quicker; the name stands for the content, so theirs is as good.
            if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
        });
        return target;
    } catch (error) {
        throw explainFullDisk(error, context.cache);
    } finally {
        await rm(staging, { recursive: true, force: true });
    }
}

/** A hard link costs nothing; a copy is made where links cannot cross. A symbolic link would not do: see above. */
async function place(from: string, to: string): Promise<void> {
    const executable = ((await stat(from)).mode & 0o111) !== 0;
    if (
        executable &&
        (await link(from, to).then(
            () => true,
            () => false,
        ))
    )
        return;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await chmod(to, 0o755);
}
