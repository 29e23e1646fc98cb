import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { KubeError } from "./errors";
import { type FailureContext, networkError, timeoutError } from "./network-errors";

export interface Limits {
    /** Without `deadline` for the whole answer; with it for its head and for every silence in its body. */
    readonly timeoutSeconds: number;
    readonly deadline?: number;
    readonly maxBytes: number;
    readonly signal?: AbortSignal;
    now(): number;
}

export interface Exchange {
    readonly status: number;
    readonly text: string;
    readonly retryAfter?: string;
}

/** An answer grew beyond what we are ready to hold; a smaller page may fit. */
export class AnswerTooLarge extends Error {
    constructor(readonly context: FailureContext) {
        super("answer too large");
    }
}

/** One request and its whole answer, or a KubeError. */
export async function exchange(
    dispatcher: Dispatcher,
    request: Dispatcher.RequestOptions,
    limits: Limits,
    context: FailureContext,
): Promise<Exchange> {
    const { signal, deadline, now } = limits;
    signal?.throwIfAborted();
    const timeoutMilliseconds = Math.min(limits.timeoutSeconds * 1000, (deadline ?? Number.POSITIVE_INFINITY) - now());
    const abort = new AbortController();
    const stop = (): void => abort.abort();
    let late: KubeError | undefined;
    let phase = "no answer";
    const timer = setTimeout(
        () => {
            late = timeoutError(context, timeoutMilliseconds / 1000, phase);
            stop();
        },
        Math.max(1, timeoutMilliseconds),
    );
    signal?.addEventListener("abort", stop, { once: true });
    try {
        const answer = await dispatcher.request({ ...request, signal: abort.signal });
        phase = "no complete answer";
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
            bytes += chunk.length;
            if (bytes > limits.maxBytes) throw new AnswerTooLarge(context);
            chunks.push(chunk);
            if (deadline === undefined) continue;
            if (now() > deadline) throw timeoutError(context, limits.timeoutSeconds, phase);
            timer.refresh();
        }
        const retryAfter = answer.headers["retry-after"];
        return {
            status: answer.statusCode,
            text: await decode(Buffer.concat(chunks, bytes), answer.headers["content-encoding"], limits, context),
            ...(typeof retryAfter === "string" ? { retryAfter } : {}),
        };
    } catch (error) {
        if (late) throw late;
        signal?.throwIfAborted();
        if (error instanceof AnswerTooLarge || error instanceof KubeError) throw error;
        throw networkError(context, error);
    } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
    }
}

const unzip = promisify(gunzip);

/** The limit holds for the unpacked text too: a small body can unpack to any size. */
async function decode(
    body: Buffer,
    encoding: string | string[] | undefined,
    { maxBytes }: Limits,
    context: FailureContext,
): Promise<string> {
    if (encoding !== "gzip") return body.toString("utf8");
    try {
        return (await unzip(body, { maxOutputLength: maxBytes })).toString("utf8");
    } catch (error) {
        throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? new AnswerTooLarge(context) : error;
    }
}
