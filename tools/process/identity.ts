import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process id alone may have been reused; together with the start time it names one process forever. */
export interface ProcessIdentity {
    readonly pid: number;
    readonly started: string;
}

/** When the process started, in the system's own terms, or undefined when there is no such process. */
export function startTime(pid: number): string | undefined {
    return process.platform === "linux" ? linuxStartTime(pid) : psStartTime(pid);
}

export function identify(pid: number): ProcessIdentity | undefined {
    const started = startTime(pid);
    return started === undefined ? undefined : { pid, started };
}

export function isAlive({ pid, started }: ProcessIdentity): boolean {
    return startTime(pid) === started;
}

/** Sends a signal to exactly this process. False when it is gone, even if its id now belongs to another one. */
export function signal(target: ProcessIdentity, name: NodeJS.Signals): boolean {
    if (!isAlive(target)) return false;
    try {
        return process.kill(target.pid, name);
    } catch {
        return false;
    }
}

function linuxStartTime(pid: number): string | undefined {
    try {
        // The second field is the command in brackets and may itself hold spaces and brackets.
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
            .replace(/^.*\)\s/s, "")
            .split(" ");
        const [state, started] = [fields[0], fields[19]];
        return state === "Z" || state === "X" || started === undefined ? undefined : `${bootId()}/${started}`;
    } catch {
        return undefined;
    }
}

/** Start times count from boot, so a record from before a reboot must never match. */
let boot: string | undefined;
function bootId(): string {
    boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return boot;
}

function psStartTime(pid: number): string | undefined {
    try {
        const text = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
        return text === "" || text.startsWith("Z") ? undefined : text.replace(/^\S+\s+/, "");
    } catch {
        return undefined;
    }
}
