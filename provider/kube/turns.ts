import type { Clock } from "./http/clock";

/** Has the work done when it is its turn. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** So many at once; one that takes longer than `slowSeconds` holds up nobody: the next begins beside it. */
export function openTurns(atOnce: number, slowSeconds: number, clock: Pick<Clock, "sleep">): Turns {
    let free = atOnce;
    const waiting: (() => void)[] = [];
    const pass = (): void => {
        const next = waiting.shift();
        if (next === undefined) free++;
        else next();
    };
    return async (work) => {
        if (free > 0) free--;
        else await new Promise<void>((resolve) => waiting.push(resolve));
        const ended = new AbortController();
        void clock.sleep(slowSeconds * 1000, ended.signal).then(pass);
        try {
            return await work();
        } finally {
            ended.abort();
        }
    };
}
