import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A directory may be used by one set of clusters after another. The mark says whose it is now, so that a late
 * supervisor of a killed run never removes the files of its successor.
 */
export function takePossession(directory: string, record: string): void {
    writeFileSync(join(directory, MARK), record);
}

export function possesses(directory: string, record: string): boolean {
    try {
        return readFileSync(join(directory, MARK), "utf8") === record;
    } catch {
        return false;
    }
}

export function removeOwn(directory: string, record: string): void {
    if (possesses(directory, record)) rmSync(directory, { recursive: true, force: true });
}

const MARK = "run";
