import { existsSync } from "node:fs";
import { join } from "node:path";
import { endClusters } from "../../../tools/clusters/attach";
import { findRecord, registryDirectory } from "../../../tools/clusters/registry";
import { isAlive } from "../../../tools/process/identity";
import { Clone } from "./clone";

let clone: Clone;
let directory: string;
beforeAll(() => {
    clone = new Clone();
    directory = join(clone.directory, ".local/clusters");
});
beforeEach(async () => {
    await endClusters(directory);
});
afterAll(async () => {
    await endClusters(directory);
    clone.remove();
});

const clusters = (...args: string[]) => clone.tool("tools/clusters/command.ts", ...args).finished;
const record = () => findRecord(registryDirectory(), directory);

test("up leaves clusters with nodes running, status shows them, a second up is refused, down ends them", async () => {
    const up = await clusters("up", "--count", "2", "--nodes", "4");
    expect(up).toMatchObject({ code: 0, text: expect.stringContaining("2 clusters are ready after") });
    const status = await clusters("status");
    expect(status.text).toMatch(/c1 {2}https:\/\/127\.0\.0\.1:\d+ {2}nodes 4 {2}peers 0/);
    expect(status.text).toMatch(/c2 .*nodes 4/);
    const again = await clusters("up");
    expect(again).toMatchObject({ code: 1, text: expect.stringContaining("running already") });
    const { supervisor, processes } = record()!;
    expect([supervisor, ...processes].every(isAlive)).toBe(true);
    const down = await clusters("down");
    expect(down).toMatchObject({ code: 0, text: expect.stringContaining("The local clusters have ended") });
    expect([supervisor, ...processes].filter(isAlive)).toEqual([]);
    expect(existsSync(directory)).toBe(false);
});

test("--help shows the commands and is no failure", async () => {
    expect(await clusters("--help")).toMatchObject({ code: 0, text: expect.stringContaining("up [--count 3]") });
});

test("after the supervisor is killed outright, down still ends every server", async () => {
    await clusters("up", "--count", "1", "--nodes", "1");
    const { supervisor, processes } = record()!;
    process.kill(supervisor.pid, "SIGKILL");
    expect((await clusters("status")).text).toContain("No local clusters are running");
    expect((await clusters("down")).code).toBe(0);
    expect(processes.filter(isAlive)).toEqual([]);
    expect(existsSync(directory)).toBe(false);
});

test("after a server has died, up starts again", async () => {
    await clusters("up", "--count", "1", "--nodes", "1");
    const first = record()!;
    process.kill(first.processes.at(-1)!.pid, "SIGKILL");
    while (first.processes.every(isAlive)) await new Promise(setImmediate);
    expect(await clusters("up", "--count", "1", "--nodes", "1")).toMatchObject({ code: 0 });
    expect([first.supervisor, ...first.processes].filter(isAlive)).toEqual([]);
    expect((await clusters("down")).code).toBe(0);
});

test.each([
    [["up", "--count", "0"], '--count is "0": give a whole number'],
    [["up", "--nodes", "many"], '--nodes is "many": give a whole number'],
    [["sideways"], "Usage: npm run clusters"],
    [[], "Usage: npm run clusters"],
])("%j is answered with what is wrong", async (args, message) => {
    expect(await clusters(...args)).toMatchObject({ code: 1, text: expect.stringContaining(message) });
});
