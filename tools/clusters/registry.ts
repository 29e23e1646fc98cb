import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, type ProcessIdentity, signal } from "../process/identity";
import { cacheDirectory } from "../toolchain/cache-directory";
import { removeOwn } from "./possession";
import type { RunRecord } from "./supervision";

/** Records of all running sets of local clusters of this user, one file each. */
export function registryDirectory(env: NodeJS.ProcessEnv = process.env): string {
    return join(cacheDirectory(env), "runs");
}

export function newRecordFile(registry: string): string {
    return join(registry, `${randomUUID()}.json`);
}

export function readRecord(file: string): RunRecord | undefined {
    try {
        return JSON.parse(readFileSync(file, "utf8")) as RunRecord;
    } catch {
        return undefined;
    }
}

/**
 * A supervisor ends its servers itself, unless it is killed outright. Whatever such a one has left is ended here, by
 * process id and start time, and its directory removed. Returns the number of processes ended.
 */
export async function sweep(registry: string): Promise<number> {
    let ended = 0;
    for (const file of recordFiles(registry)) {
        const record = readRecord(file);
        if (record !== undefined && isAlive(record.supervisor)) continue;
        if (record !== undefined) {
            ended += await endProcesses(record.processes);
            removeOwn(record.directory, file);
        }
        rmSync(file, { force: true });
    }
    return ended;
}

/** The record of the set that lives in this directory. */
export function findRecord(registry: string, directory: string): RunRecord | undefined {
    return recordFiles(registry)
        .map(readRecord)
        .find((record) => record?.directory === directory);
}

/** Ends a set by asking its supervisor, and by force what is still there afterwards. */
export async function endRun(registry: string, record: RunRecord): Promise<void> {
    signal(record.supervisor, "SIGTERM");
    await untilGone([record.supervisor], 15_000);
    signal(record.supervisor, "SIGKILL");
    await untilGone([record.supervisor], 5_000);
    await sweep(registry);
}

async function endProcesses(processes: readonly ProcessIdentity[]): Promise<number> {
    const ended = processes.filter((target) => signal(target, "SIGKILL"));
    await untilGone(ended, 5_000);
    return ended.length;
}

async function untilGone(processes: readonly ProcessIdentity[], limitMs: number): Promise<void> {
    const limit = Date.now() + limitMs;
    while (processes.some(isAlive) && Date.now() < limit) await sleep(50);
}

function recordFiles(registry: string): string[] {
    try {
        return readdirSync(registry)
            .filter((name) => name.endsWith(".json"))
            .sort()
            .map((name) => join(registry, name));
    } catch {
        return [];
    }
}
