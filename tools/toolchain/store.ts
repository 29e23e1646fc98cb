import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { identify, isAlive } from "../process/identity";
import type { Context } from "./context";
import { explainFullDisk } from "./errors";

/** The cache: one directory per tool and version, which appears whole or not at all. */
export interface Entry {
    readonly name: string;
    readonly version: string;
}

type Found = { readonly state: "good"; readonly path: string } | { readonly state: "absent" | "corrupt" };

/** Looks a tool up and reads all of it: a binary that was cut short or altered is not used. */
export async function lookUp(context: Context, entry: Entry): Promise<Found> {
    const directory = entryDirectory(context, entry);
    const path = join(directory, entry.name);
    let recorded: string;
    try {
        recorded = (await readFile(`${path}.sha256`, "utf8")).trim();
    } catch {
        return { state: "absent" };
    }
    try {
        return (await sha256(path)) === recorded ? { state: "good", path } : { state: "corrupt" };
    } catch {
        return { state: "corrupt" };
    }
}

/** Moves a finished binary into the cache. Another process may do the same at the same time: the first one stays. */
export async function keep(context: Context, entry: Entry, binary: string): Promise<string> {
    const staging = await stagingDirectory(context);
    try {
        const staged = join(staging, entry.name);
        await rename(binary, staged);
        await chmod(staged, 0o755);
        await writeFile(`${staged}.sha256`, `${await sha256(staged)}\n`);
        return await publish(context, entry, staging);
    } catch (error) {
        throw explainFullDisk(error, context.cache);
    } finally {
        await rm(staging, { recursive: true, force: true });
    }
}

/** A private directory on the same file system as the cache, named after us so that a successor can clear it away. */
export async function stagingDirectory(context: Context): Promise<string> {
    try {
        await mkdir(context.cache, { recursive: true });
        const self = identify(process.pid);
        return await mkdtemp(join(context.cache, `${STAGING}${process.pid}-${digest(self?.started ?? "")}-`));
    } catch (error) {
        throw explainFullDisk(error, context.cache);
    }
}

/** Removes what killed processes left half done. */
export async function clearAbandoned(context: Context): Promise<void> {
    for (const name of await readdir(context.cache).catch(() => [])) {
        const [, pid, started] = /^staging-(\d+)-([0-9a-f]+)-/.exec(name) ?? [];
        if (pid === undefined) continue;
        const owner = identify(Number(pid));
        if (owner !== undefined && isAlive(owner) && digest(owner.started) === started) continue;
        await rm(join(context.cache, name), { recursive: true, force: true });
    }
}

export async function sha256(file: string): Promise<string> {
    const hash = createHash("sha256");
    await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
    return hash.digest("hex");
}

const STAGING = "staging-";

function entryDirectory(context: Context, { name, version }: Entry): string {
    return join(context.cache, `${name}-${version}-${context.platform}-${context.arch}`);
}

async function publish(context: Context, entry: Entry, staging: string): Promise<string> {
    const target = entryDirectory(context, entry);
    for (let attempt = 0; ; attempt++) {
        try {
            await rename(staging, target);
            return join(target, entry.name);
        } catch (error) {
            const found = await lookUp(context, entry);
            if (found.state === "good") return found.path;
            if (attempt > 0) throw error;
            await discard(context, target);
        }
    }
}

/** Renamed before it is removed, so that nobody ever finds half of it under its own name. */
async function discard(context: Context, directory: string): Promise<void> {
    const aside = join(context.cache, `${STAGING}${process.pid}-0-${randomUUID()}-${basename(directory)}`);
    await rename(directory, aside).catch(() => undefined);
    await rm(aside, { recursive: true, force: true });
}

function digest(text: string): string {
    return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
