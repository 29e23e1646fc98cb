import { StringDecoder } from "node:string_decoder";
import type { Dispatcher } from "undici";
import { KubeError } from "../errors/kube-error";
import { type FailureContext, networkError, timeoutError } from "../errors/network-errors";
import { type Exchange, pending } from "./exchange";

export interface StreamLimits {
    /** Until the head of the answer. */
    readonly timeoutSeconds: number;
    /** For every silence in its body. */
    readonly silenceSeconds: number;
    readonly signal?: AbortSignal;
}

/** More than any object of an API server, as JSON. */
const LONGEST_LINE = 32 << 20;
const LONGEST_REFUSAL = 1 << 20;

/**
 * The lines of an answer that goes on until somebody ends it. Resolves when the server ended it between two lines, or
 * refused; everything else is a KubeError. `onHead` is called once the answer has begun.
 */
export function streamLines(
    dispatcher: Dispatcher,
    request: Dispatcher.RequestOptions,
    { timeoutSeconds, silenceSeconds, signal }: StreamLimits,
    context: FailureContext,
    { onHead, onLine }: { onHead(date: string | undefined): void; onLine(line: string): void },
): Promise<Exchange> {
    return new Promise((resolve, reject) => {
        const { isOver, begun, giveUp, end, limit, heard } = pending(signal, reject);
        if (isOver()) return;
        let status = 0;
        let date: string | undefined;
        let rest = "";
        const decoder = new StringDecoder("utf8");
        limit(timeoutSeconds * 1000, () => timeoutError(context, timeoutSeconds, "no answer"));
        const take = (chunk: Buffer): void => {
            const lines = (rest + decoder.write(chunk)).split("\n");
            rest = lines.pop() ?? "";
            if (rest.length > LONGEST_LINE) throw new Error("a line is longer than any object");
            for (const line of lines) if (line !== "" && !isOver()) onLine(line);
        };
        dispatcher.dispatch(request, {
            onRequestStart: begun,
            onResponseStart(_controller, code, headers) {
                status = code;
                if (typeof headers.date === "string") date = headers.date;
                limit(silenceSeconds * 1000, () => timeoutError(context, silenceSeconds, "nothing more"));
                if (status === 200) onHead(date);
            },
            onResponseData(_controller, chunk) {
                if (isOver()) return;
                heard();
                try {
                    if (status === 200) take(chunk);
                    else if (rest.length < LONGEST_REFUSAL) rest += decoder.write(chunk);
                } catch (error) {
                    giveUp(error instanceof KubeError ? error : networkError(context, error));
                }
            },
            onResponseEnd() {
                if (isOver()) return;
                if (status === 200 && rest !== "") return giveUp(networkError(context, cutOff()));
                end();
                resolve({ status, text: rest, ...(date === undefined ? {} : { date }) });
            },
            onResponseError(_controller, error) {
                giveUp(networkError(context, error));
            },
        });
    });
}

const cutOff = (): Error => Object.assign(new Error("the last line is not complete"), { code: "ECONNRESET" });
