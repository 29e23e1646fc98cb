import { readdirSync, readFileSync } from "node:fs";

/** Peak resident memory in MB of each process of a run, by what it does. */
export interface Peaks {
    readonly engine: number;
    readonly languageHost: number;
    readonly program: number;
    readonly provider: number;
}

const EVERY_MS = 100;

const KINDS: readonly (readonly [keyof Peaks, RegExp])[] = [
    ["program", /@pulumi\/pulumi\/cmd\/run(\/|\0|$)/],
    ["provider", /cmd\/dynamic-provider(\/|\0|$)/],
    ["languageHost", /^[^\0]*pulumi-language-nodejs\0/],
    ["engine", /^([^\0]*\/)?pulumi\0/],
];

/** Follows a process and its descendants until `stop`. The kernel keeps the peak, so looking now and then is enough. */
export function watchMemory(root: number): { stop(): Peaks } {
    const peaks = { engine: 0, languageHost: 0, program: 0, provider: 0 };
    const look = (): void => {
        for (const pid of family(root)) {
            const kind = KINDS.find(([, pattern]) => pattern.test(read(pid, "cmdline")))?.[0];
            if (kind === undefined) continue;
            const peak = Number(/VmHWM:\s+(\d+) kB/.exec(read(pid, "status"))?.[1] ?? 0) / 1024;
            peaks[kind] = Math.max(peaks[kind], peak);
        }
    };
    const timer = setInterval(look, EVERY_MS);
    return {
        stop() {
            clearInterval(timer);
            return peaks;
        },
    };
}

function family(root: number): number[] {
    const children = new Map<number, number[]>();
    for (const entry of readdirSync("/proc")) {
        if (!/^\d+$/.test(entry)) continue;
        // The name of the program is in parentheses and may contain anything; the parent is the second field after it.
        const parent = Number(read(Number(entry), "stat").split(") ").at(-1)?.split(" ")[1]);
        children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    }
    const found = [root];
    for (const pid of found) found.push(...(children.get(pid) ?? []));
    return found;
}

/** Empty when the process has ended meanwhile. */
function read(pid: number, file: string): string {
    try {
        return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
        return "";
    }
}
