import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { type FailureContext, networkError, timeoutError } from "../errors/network-errors";

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
    /** When the server answered, by its own clock. */
    readonly date?: string;
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
    limits.signal?.throwIfAborted();
    const { status, headers, body } = await receive(dispatcher, request, limits, context);
    const { "retry-after": retryAfter, date } = headers;
    return {
        status,
        text: await decode(body, headers["content-encoding"], limits, context),
        ...(typeof retryAfter === "string" ? { retryAfter } : {}),
        ...(typeof date === "string" ? { date } : {}),
    };
}

/** A request under way: its signal, a silence or whoever reads the answer may give it up. */
export interface Pending {
    isOver(): boolean;
    begun(connection: Dispatcher.DispatchController): void;
    giveUp(error: unknown): void;
    /** Nothing more is waited for. */
    end(): void;
    /** The error of a silence that lasts this long. */
    limit(milliseconds: number, error: () => unknown): void;
    heard(): void;
}

export function pending(signal: AbortSignal | undefined, reject: (error: unknown) => void): Pending {
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    let connection: Dispatcher.DispatchController | undefined;
    const end = (): void => {
        isOver = true;
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
    };
    const giveUp = (error: unknown): void => {
        if (isOver) return;
        end();
        reject(error);
        connection?.abort(GIVEN_UP);
    };
    const stop = (): void => giveUp(signal?.reason);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    return {
        isOver: () => isOver,
        begun: (controller) => {
            connection = controller;
            if (isOver) controller.abort(GIVEN_UP);
        },
        giveUp,
        end,
        limit: (milliseconds, error) => {
            clearTimeout(timer);
            if (!isOver) timer = setTimeout(() => giveUp(error()), Math.max(1, milliseconds));
        },
        heard: () => timer?.refresh(),
    };
}

const GIVEN_UP = new Error("given up");

interface Answer {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: Buffer;
}

/** Asks the dispatcher itself: the stream that `request()` makes of an answer costs more than the rest of a small exchange. */
function receive(
    dispatcher: Dispatcher,
    request: Dispatcher.RequestOptions,
    { signal, deadline, timeoutSeconds, maxBytes, now }: Limits,
    context: FailureContext,
): Promise<Answer> {
    return new Promise((resolve, reject) => {
        const { isOver, begun, giveUp, end, limit, heard } = pending(signal, reject);
        let phase = "no answer";
        let head: Pick<Answer, "status" | "headers"> = { status: 0, headers: {} };
        const chunks: Buffer[] = [];
        let bytes = 0;
        const milliseconds = Math.min(timeoutSeconds * 1000, (deadline ?? Number.POSITIVE_INFINITY) - now());
        limit(milliseconds, () => timeoutError(context, milliseconds / 1000, phase));
        dispatcher.dispatch(request, {
            onRequestStart: begun,
            onResponseStart(_controller, status, headers) {
                phase = "no complete answer";
                head = { status, headers };
            },
            onResponseData(_controller, chunk) {
                bytes += chunk.length;
                chunks.push(chunk);
                if (bytes > maxBytes) giveUp(new AnswerTooLarge(context));
                else if (deadline !== undefined && now() > deadline) {
                    giveUp(timeoutError(context, timeoutSeconds, phase));
                } else if (deadline !== undefined) heard();
            },
            onResponseEnd() {
                if (isOver()) return;
                end();
                resolve({ ...head, body: Buffer.concat(chunks, bytes) });
            },
            onResponseError(_controller, error) {
                giveUp(networkError(context, error));
            },
        });
    });
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
        const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
        throw isTooLarge ? new AnswerTooLarge(context) : networkError(context, error);
    }
}
