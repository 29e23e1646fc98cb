import { spawn } from "node:child_process";
import { isRunning, killAll, processTree } from "../../support/processes";

test.each([0, 1, -1, Number.NaN, process.pid])("%p is never taken for a process of a test", (pid) => {
    expect(() => processTree(pid)).toThrow(RangeError);
    expect(() => killAll([pid])).toThrow(RangeError);
});

test("a process and what it started are found and ended, and nothing else", async () => {
    const child = spawn("sh", ["-c", "sleep 60 & wait"], { stdio: "ignore" });
    const gone = new Promise((resolve) => child.once("exit", resolve));
    let tree = processTree(child.pid!);
    // Between its fork and its exec a child still has its parent's command.
    while (tree[1]?.command !== "sleep 60") {
        await new Promise((resolve) => setTimeout(resolve, 20));
        tree = processTree(child.pid!);
    }
    expect(tree.map(({ command }) => command)).toEqual(["sh -c sleep 60 & wait", "sleep 60"]);
    killAll(tree.map(({ pid }) => pid));
    await gone;
    expect(isRunning(child.pid!)).toBe(false);
    expect(isRunning(process.pid)).toBe(true);
});
