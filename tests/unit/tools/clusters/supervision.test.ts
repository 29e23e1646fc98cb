import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { endRun, findRecord, newRecordFile, readRecord, sweep } from "../../../../tools/clusters/registry";
import { Supervision } from "../../../../tools/clusters/supervision";
import { identify, isAlive, type ProcessIdentity } from "../../../../tools/process/identity";

const SERVER = ["-e", "setInterval(() => {}, 1000)"];
const STUBBORN = ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('deaf')"];

let root: string;
let registry: string;
let directory: string;
let record: string;
const started: ProcessIdentity[] = [];

beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "kilo-supervision-"));
    registry = join(root, "runs");
    directory = join(root, "set");
    mkdirSync(directory);
    record = newRecordFile(registry);
});
afterEach(async () => {
    for (const { pid } of started.splice(0).filter(isAlive)) process.kill(pid, "SIGKILL");
    await sweep(registry);
    rmSync(root, { recursive: true, force: true });
});

const remember = (pid: number) => {
    const identity = identify(pid)!;
    started.push(identity);
    return identity;
};
const start = async (supervision: Supervision, id: string, args = SERVER) => {
    const server = await supervision.start(id, process.execPath, args, join(directory, `${id}.log`));
    return { ...server, identity: remember(server.pid) };
};
const gone = async (...processes: ProcessIdentity[]) => {
    while (processes.some(isAlive)) await sleep(20);
};

test("every server is written down, with its start time, as soon as it runs", async () => {
    const supervision = await Supervision.open(directory, record);
    const [a, b] = [await start(supervision, "a"), await start(supervision, "b")];
    expect(readRecord(record)).toMatchObject({ directory, kept: false, processes: [a.identity, b.identity] });
    await supervision.end();
});

test("the end takes everything along: servers, record and directory", async () => {
    const supervision = await Supervision.open(directory, record);
    const [a, b] = [await start(supervision, "a"), await start(supervision, "b")];
    await supervision.end();
    expect([a.identity, b.identity].filter(isAlive)).toEqual([]);
    expect(existsSync(directory)).toBe(false);
    expect(readdirSync(registry)).toEqual([]);
});

test("one server can be stopped, even while it is frozen, and the others go on", async () => {
    const supervision = await Supervision.open(directory, record);
    const [a, b] = [await start(supervision, "a"), await start(supervision, "b")];
    process.kill(a.pid, "SIGSTOP");
    supervision.stop("a");
    await expect(a.exited).resolves.toBe("SIGTERM");
    expect(isAlive(b.identity)).toBe(true);
    expect(readRecord(record)?.processes).toEqual([b.identity]);
    await supervision.end();
});

test("a server that ignores SIGTERM is ended all the same", async () => {
    const supervision = await Supervision.open(directory, record);
    const a = await start(supervision, "a", STUBBORN);
    while (readFileSync(join(directory, "a.log"), "utf8") === "") await sleep(20);
    supervision.stop("a");
    await expect(a.exited).resolves.toBe("SIGKILL");
    await supervision.end();
});

test("a program that cannot be started is an error that says so", async () => {
    const supervision = await Supervision.open(directory, record);
    await expect(supervision.start("a", join(directory, "nothing"), [], join(directory, "log"))).rejects.toThrow(
        "ENOENT",
    );
    await supervision.end();
});

test("a server that ends by itself is reported with its exit code", async () => {
    const supervision = await Supervision.open(directory, record);
    const server = await start(supervision, "a", ["-e", "setTimeout(() => process.exit(3), 200)"]);
    await expect(server.exited).resolves.toBe("exit code 3");
    await supervision.end();
});

test("nothing outlives an owner that is killed outright", async () => {
    const owner = await startOwner("");
    owner.child.kill("SIGKILL");
    await gone(...owner.servers);
    while (existsSync(directory)) await sleep(20);
});

test("kept servers live on without their owner, and are ended by id", async () => {
    const owner = await startOwner("await supervision.keep();");
    await once(owner.child, "exit");
    expect(owner.servers.every(isAlive)).toBe(true);
    const found = findRecord(registry, directory);
    expect(found).toMatchObject({ kept: true, processes: owner.servers });
    await endRun(registry, found!);
    expect(owner.servers.filter(isAlive)).toEqual([]);
    expect(existsSync(directory)).toBe(false);
    expect(readdirSync(registry)).toEqual([]);
});

test("kept servers end when their directory is removed", async () => {
    const owner = await startOwner("await supervision.keep();");
    await once(owner.child, "exit");
    rmSync(directory, { recursive: true, force: true });
    await gone(...owner.servers);
});

test("what a killed supervisor leaves behind is ended and removed by the next start", async () => {
    const supervision = await Supervision.open(directory, record);
    const a = await start(supervision, "a");
    process.kill(readRecord(record)!.supervisor.pid, "SIGKILL");
    await gone(readRecord(record)!.supervisor);
    expect(isAlive(a.identity)).toBe(true);
    expect(await sweep(registry)).toBe(1);
    expect(isAlive(a.identity)).toBe(false);
    expect(existsSync(directory)).toBe(false);
    await expect(start(supervision, "b")).rejects.toThrow("ended by someone else");
});

test("a late end of one set never removes the directory of the next", async () => {
    const late = await Supervision.open(directory, record);
    const next = await Supervision.open(directory, newRecordFile(registry));
    await late.end();
    expect(existsSync(directory)).toBe(true);
    await next.end();
    expect(existsSync(directory)).toBe(false);
});

test("a sweep leaves the sets of living supervisors alone", async () => {
    const supervision = await Supervision.open(directory, record);
    const a = await start(supervision, "a");
    expect(await sweep(registry)).toBe(0);
    expect(isAlive(a.identity)).toBe(true);
    await supervision.end();
});

test("a sweep never touches a process that only has the id of a recorded one", async () => {
    const bystander = remember(spawn(process.execPath, SERVER, { stdio: "ignore" }).pid!);
    const left = { pid: bystander.pid, started: "long ago" };
    mkdirSync(registry, { recursive: true });
    writeFileSync(record, JSON.stringify({ supervisor: left, directory, kept: false, processes: [left] }));
    expect(await sweep(registry)).toBe(0);
    expect(isAlive(bystander)).toBe(true);
    expect(readdirSync(registry)).toEqual([]);
});

/** A process of its own that starts two servers, then does `more`. */
async function startOwner(more: string): Promise<{ child: ChildProcess; servers: ProcessIdentity[] }> {
    const code = `
        const { Supervision } = require(${JSON.stringify(join(__dirname, "../../../../tools/clusters/supervision"))});
        (async () => {
            const supervision = await Supervision.open(${JSON.stringify(directory)}, ${JSON.stringify(record)});
            const pids = [];
            for (const id of ["a", "b"]) {
                const log = ${JSON.stringify(directory)} + "/" + id;
                pids.push((await supervision.start(id, process.execPath, ${JSON.stringify(SERVER)}, log)).pid);
            }
            ${more}
            console.log(JSON.stringify(pids));
        })();`;
    const child = spawn(process.execPath, ["--import", require.resolve("tsx"), "-e", code], {
        stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: child.stdout! }), "line")) as [string];
    return { child, servers: (JSON.parse(line) as number[]).map(remember) };
}
