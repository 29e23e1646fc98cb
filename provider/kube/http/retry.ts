import { KubeError } from "../errors/kube-error";
import type { Clock } from "./clock";
import { httpDate } from "./http-date";

/** How long trying again is worth it. */
export interface RetryLimits {
    readonly attempts: number;
    /** How many of those attempts may end in a timeout, each of which costs the whole timeout. */
    readonly timeouts: number;
    /** How many may be refused at once: nobody listens there. */
    readonly refusals: number;
    /** Bound on everything together, from the first attempt on. */
    readonly seconds: number;
}

/** For looking: a dead cluster costs one timeout, and the others do not wait for it. */
export const briefRetries = (requestTimeoutSeconds: number): RetryLimits => ({
    attempts: 5,
    timeouts: 1,
    refusals: 3,
    seconds: requestTimeoutSeconds,
});

/** For writing: an API server that restarts is worth waiting for. */
export const persistentRetries = (requestTimeoutSeconds: number): RetryLimits => ({
    attempts: 6,
    timeouts: 2,
    refusals: 6,
    seconds: Math.max(60, requestTimeoutSeconds * 3),
});

const BASE_MILLISECONDS = 250;
const LONGEST_MILLISECONDS = 8_000;

/** Repeats `attempt` while its failure is retryable and the limits allow it; the last failure is thrown. */
export async function withRetry<T>(
    retries: RetryLimits,
    clock: Clock,
    signal: AbortSignal | undefined,
    attempt: () => Promise<T>,
): Promise<T> {
    const end = clock.now() + retries.seconds * 1000;
    let timeouts = 0;
    let refusals = 0;
    for (let tried = 1; ; tried++) {
        try {
            return await attempt();
        } catch (error) {
            if (!(error instanceof KubeError) || !error.retryable || tried >= retries.attempts) throw error;
            if (error.network === "timeout" && ++timeouts >= retries.timeouts) throw error;
            if ((error.network === "refused" || error.network === "dns") && ++refusals >= retries.refusals) throw error;
            const wait = Math.max(backoff(tried, clock), (error.retryAfterSeconds ?? 0) * 1000);
            if (clock.now() + wait >= end) throw error;
            await clock.sleep(wait, signal);
            signal?.throwIfAborted();
        }
    }
}

/** Half fixed, half random, so that many writers do not come back in step. */
const backoff = (tried: number, clock: Clock): number =>
    Math.min(LONGEST_MILLISECONDS, BASE_MILLISECONDS * 2 ** (tried - 1)) * (0.5 + clock.random() / 2);

/** Retry-After as seconds or as an HTTP date. */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
    const value = header?.trim() ?? "";
    if (/^\d{1,9}$/.test(value)) return Number(value);
    const date = httpDate(value);
    return date === undefined ? undefined : Math.max(0, (date - now) / 1000);
}
