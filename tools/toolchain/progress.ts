import type { Context } from "./context";

/** Says what is going on, how long it usually takes, and now and then that it still goes on. */
export async function withProgress<T>(
    { log, heartbeatMs }: Pick<Context, "log" | "heartbeatMs">,
    what: string,
    usually: number | undefined,
    work: () => Promise<T>,
): Promise<T> {
    const begun = Date.now();
    const hint = usually === undefined ? "" : ` (usually ${duration(usually)} on two cores)`;
    log(`${what}${hint} ...`);
    const timer = setInterval(
        () => log(`${what}: ${duration((Date.now() - begun) / 1000)} so far${hint}`),
        heartbeatMs,
    );
    try {
        const result = await work();
        log(`${what}: done in ${duration((Date.now() - begun) / 1000)}`);
        return result;
    } finally {
        clearInterval(timer);
    }
}

export function duration(seconds: number): string {
    const whole = Math.round(seconds);
    if (whole < 60) return `${whole} s`;
    return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}
