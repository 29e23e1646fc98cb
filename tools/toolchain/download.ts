import { createHash } from "node:crypto";
import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { extract } from "tar";
import { EnvHttpProxyAgent, fetch } from "undici";
import type { Context } from "./context";
import { explainFullDisk } from "./errors";
import type { Download } from "./tool";

/**
 * Fetches one published file, checks it against the published checksum and unpacks the wanted members.
 * Returns the path of each member (the file itself when it is not an archive), in the order asked for.
 */
export async function download(
    context: Context,
    { url, checksums }: Download,
    members: readonly (string | undefined)[],
    directory: string,
): Promise<readonly string[]> {
    const dispatcher = proxyAgent(context);
    try {
        const expected = digestFor(basename(url), await text(await get(checksums, dispatcher)));
        if (expected === undefined) throw new Error(`${checksums} has no sha256 of ${basename(url)}`);
        const file = join(directory, basename(url));
        const actual = await save(context, await get(url, dispatcher), file);
        if (actual !== expected) {
            throw new Error(`${url} is broken: its sha256 is ${actual}, published is ${expected}`);
        }
        return await unpack(file, members, directory);
    } finally {
        await dispatcher.destroy();
    }
}

/** The reason behind undici's "fetch failed". */
export function reason(error: unknown): string {
    if (!(error instanceof Error)) return String(error);
    const cause = error.cause as NodeJS.ErrnoException | undefined;
    return cause?.message ? `${error.message}: ${cause.message}` : error.message;
}

/** Finds the digest of a file in the output of sha256sum; a file with one bare digest is taken as it is. */
export function digestFor(name: string, sums: string): string | undefined {
    for (const line of sums.split("\n")) {
        const [, digest, file] = /^([0-9a-f]{64})(?:\s+\*?(\S+))?\s*$/i.exec(line) ?? [];
        if (digest !== undefined && (file === undefined || basename(file) === name)) return digest.toLowerCase();
    }
    return undefined;
}

function proxyAgent({ env, connectTimeoutMs }: Context): EnvHttpProxyAgent {
    return new EnvHttpProxyAgent({
        httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? "",
        httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? "",
        noProxy: env.no_proxy ?? env.NO_PROXY ?? "",
        connect: { timeout: connectTimeoutMs },
        headersTimeout: connectTimeoutMs * 2,
        bodyTimeout: connectTimeoutMs * 10,
    });
}

type Body = ReadableStream<Uint8Array>;

async function get(url: string, dispatcher: EnvHttpProxyAgent): Promise<Body> {
    const response = await fetch(url, { dispatcher });
    if (!response.ok || response.body === null) throw new Error(`${url} answers ${response.status}`);
    return response.body as Body;
}

async function text(body: Body): Promise<string> {
    let result = "";
    for await (const chunk of Readable.fromWeb(body)) result += Buffer.from(chunk as Uint8Array).toString("utf8");
    return result;
}

/** Writes and hashes in one pass. */
async function save(context: Context, body: Body, file: string): Promise<string> {
    const hash = createHash("sha256");
    const sink = context.openForWriting(file);
    try {
        await new Promise<void>((resolve, reject) => {
            const source = Readable.fromWeb(body);
            source.on("data", (chunk: Buffer) => hash.update(chunk));
            source.on("error", reject);
            sink.on("error", (error) => {
                source.destroy();
                reject(error);
            });
            sink.on("finish", resolve);
            source.pipe(sink);
        });
    } catch (error) {
        throw explainFullDisk(error, context.cache);
    } finally {
        sink.destroy();
    }
    return hash.digest("hex");
}

async function unpack(
    file: string,
    members: readonly (string | undefined)[],
    directory: string,
): Promise<readonly string[]> {
    const wanted = new Set(members.filter((member) => member !== undefined));
    if (wanted.size > 0) await extract({ file, cwd: directory, filter: (path) => wanted.has(path) });
    const paths: string[] = [];
    for (const member of members) {
        const path = join(directory, member === undefined ? "tool" : member);
        if (member === undefined) await rename(file, path);
        paths.push(path);
    }
    return paths;
}
