import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { identify } from "../process/identity";
import { possesses, removeOwn } from "./possession";
import type { FromSupervisor, RunRecord, ToSupervisor } from "./supervision";

/**
 * The parent of all servers of one set of local clusters. It ends them when its own parent is gone (the pipe on stdin
 * closes, whatever killed it), when it is told to, or when their directory is removed or given to another set. Once told to `keep`, it stays
 * without a parent. It never outlives its last reason to exist.
 */
const [directory, recordFile] = process.argv.slice(2) as [string, string];
const GRACE_MS = 5_000;

const children = new Map<string, ChildProcess>();
let kept = false;
let ending = false;

function report(message: FromSupervisor): void {
    process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Written before anything else can happen, so that a later start can end what we leave if we are killed. */
function record(): void {
    const self = identify(process.pid);
    if (self === undefined) throw new Error("cannot find my own start time");
    const processes = [...children.values()].flatMap(({ pid }) => (pid === undefined ? [] : (identify(pid) ?? [])));
    const content: RunRecord = { supervisor: self, directory, kept, processes };
    mkdirSync(dirname(recordFile), { recursive: true });
    writeFileSync(`${recordFile}.new`, JSON.stringify(content));
    renameSync(`${recordFile}.new`, recordFile);
}

function start({ id, command, args, log }: Extract<ToSupervisor, { op: "start" }>): void {
    const output = openSync(log, "a", 0o600);
    const child = spawn(command, args, {
        cwd: directory,
        env: { PATH: process.env.PATH, HOME: directory },
        stdio: ["ignore", output, output],
    });
    closeSync(output);
    child.once("error", ({ message }) => report({ event: "failed", id, message }));
    child.once("exit", (code, signal) => {
        children.delete(id);
        if (!ending) record();
        report({ event: "exit", id, code, signal });
    });
    if (child.pid === undefined) return;
    children.set(id, child);
    record();
    report({ event: "started", id, pid: child.pid });
}

/** A stopped (SIGSTOP) process does not see SIGTERM before it is continued. */
async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
    child.kill("SIGTERM");
    child.kill("SIGCONT");
    await gone;
    clearTimeout(timer);
}

/** Servers first, the database they write to last. */
async function endAll(): Promise<void> {
    if (ending) return;
    ending = true;
    const database = children.get("etcd");
    await Promise.all([...children.values()].filter((child) => child !== database).map(end));
    if (database !== undefined) await end(database);
    removeOwn(directory, recordFile);
    rmSync(recordFile, { force: true });
    process.exit(0);
}

function handle(message: ToSupervisor): void {
    if (message.op === "start") start(message);
    else if (message.op === "end") void endAll();
    else if (message.op === "keep") keep();
    else if (message.op === "check-in") startCheckingIn(message.seconds);
    else {
        const child = children.get(message.id);
        if (child !== undefined) void end(child);
    }
}

/** Loaded on demand: most sets are of tests, whose nodes check in for a day ahead. */
function startCheckingIn(seconds: number): void {
    const { keepCheckingIn }: typeof import("./keep-checking-in") = require("./keep-checking-in");
    void keepCheckingIn(directory, seconds);
}

function keep(): void {
    kept = true;
    record();
    report({ event: "kept" });
}

record();
// Nobody listens any more once we are kept, or when our parent is gone: neither may kill us.
process.stdout.on("error", () => undefined);
createInterface({ input: process.stdin })
    .on("line", (line) => handle(JSON.parse(line) as ToSupervisor))
    .on("close", () => {
        if (!kept) void endAll();
    });
for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, () => void endAll());
setInterval(() => {
    if (!possesses(directory, recordFile)) void endAll();
}, 2_000);
report({ event: "ready" });
