import { createWriteStream } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { cacheDirectory } from "./cache-directory";

/** Everything the search for tools depends on, so that tests can replace any of it. */
export interface Context {
    readonly env: NodeJS.ProcessEnv;
    readonly log: (line: string) => void;
    readonly cache: string;
    /** The directory with one pinned Go module per subdirectory. */
    readonly goModules: string;
    readonly platform: NodeJS.Platform;
    readonly arch: string;
    /** How long a host may take to answer at all before we build instead. */
    readonly connectTimeoutMs: number;
    readonly openForWriting: (file: string) => Writable;
    /** How often a long step says that it is still going on. */
    readonly heartbeatMs: number;
}

export function defaultContext(overrides: Partial<Context> = {}): Context {
    const env = overrides.env ?? process.env;
    return {
        env,
        log: (line) => process.stderr.write(`${line}\n`),
        cache: join(cacheDirectory(env), "tools"),
        goModules: join(__dirname, "..", "go"),
        platform: process.platform,
        arch: process.arch,
        connectTimeoutMs: 3_000,
        openForWriting: (file) => createWriteStream(file),
        heartbeatMs: 30_000,
        ...overrides,
    };
}
