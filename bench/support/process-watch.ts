import { readdirSync, readFileSync } from "node:fs";

/** A figure for each process of a run, by what it does. */
export interface ByProcess {
    readonly engine: number;
    readonly languageHost: number;
    readonly program: number;
    readonly provider: number;
}

export interface Watched {
    /** Peak resident memory in MB. */
    readonly peaks: ByProcess;
    /** Milliseconds of processor time, user and system; what a process used after the last look is missing. */
    readonly cpu: ByProcess;
}

const EVERY_MS = 100;

const KINDS: readonly (readonly [keyof ByProcess, RegExp])[] = [
    ["program", /@pulumi\/pulumi\/cmd\/run(\/|\0|$)/],
    ["provider", /cmd\/dynamic-provider(\/|\0|$)/],
    ["languageHost", /^[^\0]*pulumi-language-nodejs\0/],
    ["engine", /^([^\0]*\/)?pulumi\0/],
];

/** Follows a process and its descendants until `stop`. The kernel keeps both figures, so looking now and then is enough. */
export function watchProcesses(root: number): { stop(): Watched } {
    const peaks = { engine: 0, languageHost: 0, program: 0, provider: 0 };
    const used = new Map<number, { readonly kind: keyof ByProcess; readonly cpu: number }>();
    const look = (): void => {
        for (const pid of family(root)) {
            const kind = KINDS.find(([, pattern]) => pattern.test(read(pid, "cmdline")))?.[0];
            if (kind === undefined) continue;
            peaks[kind] = Math.max(peaks[kind], memoryOf(pid).peak);
            used.set(pid, { kind, cpu: Math.max(cpuOf(pid), used.get(pid)?.cpu ?? 0) });
        }
    };
    const timer = setInterval(look, EVERY_MS);
    return {
        stop() {
            clearInterval(timer);
            const cpu = { engine: 0, languageHost: 0, program: 0, provider: 0 };
            for (const each of used.values()) cpu[each.kind] += each.cpu;
            return { peaks, cpu };
        },
    };
}

/** In milliseconds: the kernel counts in hundredths of a second. */
export function cpuOf(pid: number): number {
    const [user = 0, system = 0] = fieldsOf(pid).slice(11, 13).map(Number);
    return (user + system) * 10;
}

/** Resident memory in MB, now and at its highest. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
    const status = read(pid, "status");
    const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
    return { now: of("VmRSS"), peak: of("VmHWM") };
}

/** What follows the name of the program, which is in parentheses and may contain anything. */
const fieldsOf = (pid: number): string[] => read(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];

function family(root: number): number[] {
    const children = new Map<number, number[]>();
    for (const entry of readdirSync("/proc")) {
        if (!/^\d+$/.test(entry)) continue;
        const parent = Number(fieldsOf(Number(entry))[1]);
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
