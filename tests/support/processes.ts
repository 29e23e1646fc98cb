import { readdirSync, readFileSync } from "node:fs";

export interface Process {
    readonly pid: number;
    readonly command: string;
}

/** A process and everything it has started, itself first. Only what is asked for by pid is ever touched. */
export function processTree(pid: number): Process[] {
    requireOwn(pid);
    const children = new Map<number, number[]>();
    for (const entry of readdirSync("/proc")) {
        const parent = parentOf(entry);
        if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    }
    const tree: Process[] = [];
    const add = (id: number): void => {
        tree.push({ pid: id, command: commandOf(id) });
        for (const child of children.get(id) ?? []) add(child);
    };
    add(pid);
    return tree;
}

export function isRunning(pid: number): boolean {
    try {
        const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        return state !== undefined && state !== "Z";
    } catch {
        return false;
    }
}

/** Ends processes at once; one that is gone already is fine. */
export function killAll(pids: Iterable<number>): void {
    for (const pid of pids) {
        requireOwn(pid);
        try {
            process.kill(pid, "SIGKILL");
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
    }
}

/** 0 is our own group to `kill`, negative numbers are groups, and below 1 hangs everything that runs here. */
function requireOwn(pid: number): void {
    if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid)
        throw new RangeError(`${pid} is no process of a test`);
}

function parentOf(pid: string): number | undefined {
    if (!/^\d+$/.test(pid)) return undefined;
    try {
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
    } catch {
        return undefined;
    }
}

function commandOf(pid: number): string {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    } catch {
        return "";
    }
}
