import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { create } from "tar";

export interface ArchivedFile {
    readonly content: Uint8Array;
    readonly executable?: boolean;
}
/** Path in the archive → file. */
export type Files = ReadonlyMap<string, ArchivedFile>;

/** One moment for all files, so that the same content is the same bytes; the first that a zip can tell. */
const MOMENT = new Date(Date.UTC(1980, 0, 1));

const sorted = (files: Files): readonly (readonly [string, ArchivedFile])[] =>
    [...files].sort(([a], [b]) => (a < b ? -1 : 1));

export async function tarGz(files: Files): Promise<Buffer> {
    const directory = mkdtempSync(join(tmpdir(), "kilo-release-"));
    try {
        for (const [name, { content, executable }] of files) {
            const file = join(directory, name);
            mkdirSync(dirname(file), { recursive: true });
            writeFileSync(file, content);
            chmodSync(file, executable ? 0o755 : 0o644);
        }
        const names = sorted(files).map(([name]) => name);
        const chunks: Buffer[] = [];
        for await (const chunk of create({ cwd: directory, portable: true, mtime: MOMENT }, names)) chunks.push(chunk);
        // Not by tar: its gzip header says when it was made.
        return gzipSync(Buffer.concat(chunks), { level: 9 });
    } finally {
        rmSync(directory, { recursive: true, force: true });
    }
}

export function zip(files: Files): Uint8Array {
    // A zip has the local time of whoever made it: said in local terms, it is the same everywhere.
    const mtime = new Date(1980, 0, 1);
    return zipSync(Object.fromEntries(sorted(files).map(([name, { content }]) => [name, [content, { mtime }]])), {
        level: 9,
    });
}
