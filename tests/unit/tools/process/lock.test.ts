import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { identify } from "../../../../tools/process/identity";
import { withLock } from "../../../../tools/process/lock";

let directory: string;
let file: string;
beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "kilo-lock-"));
    file = join(directory, "nested", "lock");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("one at a time", async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
        inside++;
        most = Math.max(most, inside);
        await sleep(5);
        inside--;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(file, work, { pollMs: 1 })));
    expect(most).toBe(1);
    expect(readdirSync(join(directory, "nested"))).toEqual([]);
});

test("whoever waits is told once for whom", async () => {
    const told: number[] = [];
    const first = withLock(file, () => sleep(50));
    await withLock(file, async () => undefined, { pollMs: 5, onWait: (pid) => told.push(pid) });
    await first;
    expect(told).toEqual([process.pid]);
});

test.each([
    ["whose process is gone", JSON.stringify({ pid: 999_999_999, started: "x" })],
    ["whose id now belongs to another process", JSON.stringify({ pid: process.pid, started: "before" })],
    ["that was never finished", "{"],
    ["that says nothing of use", "{}"],
])("a lock %s is taken over", async (_, content) => {
    await withLock(file, async () => undefined);
    writeFileSync(file, content);
    await expect(withLock(file, async () => "done")).resolves.toBe("done");
});

test("many who find the same stale lock still go one at a time", async () => {
    await withLock(file, async () => undefined);
    writeFileSync(file, JSON.stringify({ pid: 999_999_999, started: "x" }));
    let inside = 0;
    const work = async () => {
        expect(++inside).toBe(1);
        await sleep(2);
        inside--;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(file, work, { pollMs: 1 })));
});

test("the lock is given back when the work fails", async () => {
    await expect(withLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(existsSync(file)).toBe(false);
});

test("a lock that somebody else has taken over meanwhile is left to them", async () => {
    const theirs = JSON.stringify({ ...identify(process.pid), token: "theirs" });
    await withLock(file, async () => writeFileSync(file, theirs));
    expect(existsSync(file)).toBe(true);
});
