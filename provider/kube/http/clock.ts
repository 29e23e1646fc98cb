/** Time and chance, so that tests can decide both. */
export interface Clock {
    /** Milliseconds since the epoch. */
    now(): number;
    /** 0 ≤ x < 1 */
    random(): number;
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
    now: () => Date.now(),
    random: () => Math.random(),
    sleep: (milliseconds, signal) =>
        new Promise((resolve) => {
            const wake = (): void => {
                clearTimeout(timer);
                signal?.removeEventListener("abort", wake);
                resolve();
            };
            const timer = setTimeout(wake, milliseconds);
            if (signal?.aborted) wake();
            else signal?.addEventListener("abort", wake, { once: true });
        }),
};
