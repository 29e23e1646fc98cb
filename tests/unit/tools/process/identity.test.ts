import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { identify, isAlive, signal } from "../../../../tools/process/identity";

let child: ChildProcess | undefined;
afterEach(() => child?.kill("SIGKILL"));

function sleeper(): ChildProcess {
    child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    return child;
}

test("a process is known by its id and its start time", () => {
    const self = identify(process.pid)!;
    expect(self.pid).toBe(process.pid);
    expect(isAlive(self)).toBe(true);
});

test("a process that reuses an id is not taken for the one that had it before", () => {
    const impostor = { pid: sleeper().pid!, started: "before it was born" };
    expect(isAlive(impostor)).toBe(false);
    expect(signal(impostor, "SIGKILL")).toBe(false);
    expect(child?.exitCode).toBeNull();
    expect(identify(impostor.pid)).toBeDefined();
});

test("a process that has ended is not alive, and signalling it is not an error", async () => {
    const identity = identify(sleeper().pid!)!;
    expect(signal(identity, "SIGKILL")).toBe(true);
    await once(child!, "exit");
    expect(isAlive(identity)).toBe(false);
    expect(signal(identity, "SIGTERM")).toBe(false);
});

test("a process that never was has no identity", () => {
    expect(identify(999_999_999)).toBeUndefined();
});
