import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { identify, isAlive, type ProcessIdentity } from "./identity";

export interface LockOptions {
    /** Called once, when another process holds the lock. */
    readonly onWait?: (holder: number) => void;
    readonly pollMs?: number;
}

/**
 * Runs `work` while no other process that uses the same lock file does. The holder is recorded with its start time, so
 * a lock left by a killed process is taken over at once.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
    const release = await acquire(file, options);
    try {
        return await work();
    } finally {
        release();
    }
}

async function acquire(file: string, { onWait, pollMs = 200 }: LockOptions): Promise<() => void> {
    mkdirSync(dirname(file), { recursive: true });
    const mine = JSON.stringify({ ...identify(process.pid), token: randomUUID() });
    for (let told = false; !tryCreate(file, mine); ) {
        const found = readIfAny(file);
        if (found === undefined) continue;
        const holder = parseHolder(found);
        if (holder === undefined || !isAlive(holder)) {
            takeAway(file, found);
            continue;
        }
        if (!told) onWait?.(holder.pid);
        told = true;
        await sleep(pollMs);
    }
    return () => {
        if (readIfAny(file) === mine) rmSync(file, { force: true });
    };
}

/** The content appears together with the name: a reader never sees a half-written lock. */
function tryCreate(file: string, content: string): boolean {
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, content);
    try {
        linkSync(draft, file);
        return true;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
        throw error;
    } finally {
        rmSync(draft, { force: true });
    }
}

/** Removes a stale lock. If another process replaced it in between, what was moved is fresh and is put back. */
function takeAway(file: string, stale: string): void {
    const aside = `${file}.${randomUUID()}`;
    try {
        renameSync(file, aside);
        if (readFileSync(aside, "utf8") !== stale) linkSync(aside, file);
    } catch {
        // Somebody else was quicker; the caller looks again.
    } finally {
        rmSync(aside, { force: true });
    }
}

function readIfAny(file: string): string | undefined {
    try {
        return readFileSync(file, "utf8");
    } catch {
        return undefined;
    }
}

function parseHolder(text: string): ProcessIdentity | undefined {
    try {
        const { pid, started } = JSON.parse(text) as Partial<ProcessIdentity>;
        return typeof pid === "number" && typeof started === "string" ? { pid, started } : undefined;
    } catch {
        return undefined;
    }
}
