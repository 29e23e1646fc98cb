import { tmpdir } from "node:os";
import { commandRunner } from "../../../../cli/watch/command-runner";
import { isRunning, killAll } from "../../../support/processes";

const SECRET = `opaque${"s3cr3t".repeat(100)}`;

/** What the last lines of a script for Node are, as they are logged. */
const run = (script: string) =>
    commandRunner({
        words: [process.execPath, "--eval", script],
        directory: tmpdir(),
        env: { ...process.env, SECRET },
        secrets: () => [SECRET],
    }).start();

test("the last lines are those that were printed last, without empty ones and colours", async () => {
    const { done } = run(
        `for (let n = 1; n <= 50; n++) console.log("\\n\\u001b[31mline " + n); console.error("no end")`,
    );
    const { isOk, lines } = await done;
    expect(isOk).toBe(true);
    expect(lines).toHaveLength(20);
    expect(lines).toContain("line 50");
    expect(lines).toContain("no end");
    expect(lines).not.toContain("line 20");
});

test.each([
    [
        "before so much that its beginning is forgotten",
        `"x".repeat(200) + process.env.SECRET + "y".repeat(16100) + "\\n"`,
    ],
    ["many times in one long line", `(process.env.SECRET + " ").repeat(40) + "\\n"`],
])("a secret is not shown by half where it is printed %s", async (_, text) => {
    const { done } = run(`process.stdout.write(${text}, () => process.exit(1))`);
    const { lines } = await done;
    expect(lines.join()).not.toContain("s3cr3t");
});

test("a secret is not shown by half where the other stream interrupts it", async () => {
    const { done } = run(`
        const half = process.env.SECRET.length / 2;
        const { writeSync } = require("node:fs");
        const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
        writeSync(1, process.env.SECRET.slice(0, half)); pause(); writeSync(2, "warning\\n"); pause();
        writeSync(1, process.env.SECRET.slice(half) + "\\n");`);
    const { lines } = await done;
    expect(lines.join()).not.toContain("s3cr3t");
    expect(lines).toContain("warning");
});

test("a command has ended when it has, whatever it left running in the background", async () => {
    const { done } = run(`
        const { pid } = require("node:child_process").spawn("sleep", ["60"], { stdio: ["ignore", 1, 2], detached: true });
        console.log(pid);
        process.exit(3);`);
    const { how, lines } = await done;
    const left = Number(lines[0]);
    expect(how).toBe("exit code 3");
    expect(isRunning(left)).toBe(true);
    killAll([left]);
});

test("one that cannot be started is a failure that says so", async () => {
    const { done, interrupt } = commandRunner({
        words: ["no-such-command-anywhere"],
        directory: tmpdir(),
        env: process.env,
        secrets: () => [],
    }).start();
    interrupt();
    expect(await done).toEqual({ isOk: false, how: "it cannot be started (ENOENT)", lines: [] });
});
