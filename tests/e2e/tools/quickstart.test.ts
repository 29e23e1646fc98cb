import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type AttachedClusters, attachClusters, endClusters } from "../../../tools/clusters/attach";
import { findRecord, registryDirectory } from "../../../tools/clusters/registry";
import { isAlive } from "../../../tools/process/identity";
import { Clone } from "./clone";

let clone: Clone;
beforeAll(() => {
    clone = new Clone();
});
afterAll(async () => {
    await endClusters(clone.clusters);
    clone.remove();
});

/** What each cluster holds: peer name → uid. */
async function peers(): Promise<Record<string, Record<string, string>>> {
    const attached = attachClusters(clone.clusters);
    if (attached === undefined) throw new Error("the clusters of the quick start are not running");
    return using(attached, async ({ clusters }) => {
        const held: Record<string, Record<string, string>> = {};
        for (const cluster of clusters) {
            const list = await cluster.listPeers();
            held[cluster.name] = Object.fromEntries(list.map(({ metadata }) => [metadata.name, metadata.uid]));
        }
        return held;
    });
}
async function using<T>(attached: AttachedClusters, work: (attached: AttachedClusters) => Promise<T>): Promise<T> {
    try {
        return await work(attached);
    } finally {
        await attached.close();
    }
}
const names = async (cluster: string) => Object.keys((await peers())[cluster]!).sort();
const peer = (cluster: string, segment: string) => `quickstart--${cluster}--${segment}`;
const nodes = (cluster: string, count: number) =>
    Array.from({ length: count }, (_, at) => peer(cluster, `${cluster}-n${at + 1}`));
const NILE = peer("cairo", "location-nile");

/** The mesh of the quick start, whatever was done with it before. */
async function started(): Promise<string> {
    const { code, text } = await clone.npmStart().finished;
    expect({ code, text }).toMatchObject({ code: 0 });
    return text;
}

/** It grows with every `--add-node`. */
const nodesOfAmsterdam = (): Promise<number> =>
    using(attachClusters(clone.clusters)!, async ({ clusters }) => {
        const amsterdam = clusters.find(({ name }) => name === "amsterdam")!;
        return (await amsterdam.request<{ items: unknown[] }>("GET", "/api/v1/nodes")).items.length;
    });

test("options that make no sense are answered at once", async () => {
    await endClusters(clone.clusters);
    const both = await clone.bareStart("--destroy", "--stop").finished;
    expect(both).toMatchObject({ code: 1, text: expect.stringContaining("One thing at a time: --destroy or --stop") });
    const unknown = await clone.bareStart("--everything").finished;
    expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining("Unknown option '--everything'") });
    const alone = await clone.bareStart("--once").finished;
    expect(alone).toMatchObject({ code: 1, text: expect.stringContaining("--once belongs to --watch") });
    const early = await clone.bareStart("--add-node").finished;
    expect(early).toMatchObject({ code: 1, text: expect.stringContaining("run `npm start` first") });
});

test.each(["Building the package", "Starting three local clusters"])(
    "killed while it says `%s`, it leaves no cluster behind",
    async (marker) => {
        await endClusters(clone.clusters);
        const run = clone.bareStart();
        await run.printed(marker);
        run.child.kill("SIGKILL");
        await run.finished;
        while (findRecord(registryDirectory(), clone.clusters) !== undefined) await sleep(50);
        expect(attachClusters(clone.clusters)).toBeUndefined();
    },
);

test("ends with a mesh one can look at", async () => {
    await endClusters(clone.clusters);
    const text = await started();
    expect(await names("amsterdam")).toEqual([...nodes("berlin", 3), NILE]);
    expect(await names("berlin")).toEqual([...nodes("amsterdam", 3), NILE]);
    expect(await names("cairo")).toEqual([...nodes("amsterdam", 3), ...nodes("berlin", 3)]);
    expect(text).toMatch(/CLUSTER +PEER +ENDPOINT +ALLOWED IPS/);
    expect(text).toContain(peer("berlin", "berlin-n1"));
    expect(text).toContain("npm start -- --add-node");
    expect(text).not.toMatch(/warning/i);
});

test("a second run changes nothing", async () => {
    await started();
    const before = await peers();
    await started();
    expect(await peers()).toEqual(before);
});

test("a new node gets its peers, and the others keep theirs", async () => {
    await started();
    const [before, count] = [await peers(), await nodesOfAmsterdam()];
    expect((await clone.npmStart("--add-node").finished).code).toBe(0);
    const after = await peers();
    expect(Object.keys(after.berlin!).sort()).toEqual([...nodes("amsterdam", count + 1), NILE]);
    expect(after.berlin).toMatchObject(before.berlin!);
    expect(after.amsterdam).toEqual(before.amsterdam);
});

/** Processes that run the command line, or pulumi for it, in the copy. */
const watchers = (): string[] =>
    readdirSync("/proc").flatMap((pid) => {
        try {
            const line = readFileSync(`/proc/${pid}/cmdline`, "latin1");
            return line.includes(`${clone.directory}/dist/cli/main.js`) ? [line.replaceAll("\0", " ")] : [];
        } catch {
            return [];
        }
    });

test("with --watch a node joins and gets its peers by itself, and the watcher ends", async () => {
    await endClusters(clone.clusters);
    const { code, text } = await clone.npmStart("--watch", "--once").finished;
    expect({ code, text }).toMatchObject({ code: 0 });
    const joined = peer("amsterdam", "amsterdam-n4");
    for (const other of ["berlin", "cairo"]) {
        expect(text).toMatch(new RegExp(`^${other} has ${joined} after [\\d.]+ s$`, "m"));
        expect(await names(other)).toContain(joined);
    }
    expect(text.match(/ run: pulumi up /g)).toHaveLength(1);
    expect(watchers()).toEqual([]);
});

test("with --watch it goes on until ^C, and leaves nothing but the clusters running", async () => {
    await started();
    const count = await nodesOfAmsterdam();
    const run = clone.bareStart("--watch");
    await run.printed("It goes on watching; ^C ends it");
    expect(watchers()).toHaveLength(1);
    await using(attachClusters(clone.clusters)!, ({ clusters }) =>
        clusters.find(({ name }) => name === "amsterdam")!.deleteNode(`amsterdam-n${count + 1}`),
    );
    await run.printed(`${peer("amsterdam", `amsterdam-n${count + 1}`)} left over`);
    // As from a terminal, in the middle of the run: it reaches the watcher and the program around it.
    process.kill(-run.child.pid!, "SIGINT");
    expect(await run.finished).toMatchObject({ code: 0, text: expect.stringContaining("The watcher has ended") });
    expect(watchers()).toEqual([]);
    await started();
    expect(await names("berlin")).toEqual([...nodes("amsterdam", count), NILE]);
});

test("a cluster that leaves takes its peers along, everywhere", async () => {
    await started();
    expect((await clone.npmStart("--remove-cluster").finished).code).toBe(0);
    expect(await names("amsterdam")).toEqual(nodes("berlin", 3));
    expect(await names("berlin")).toEqual(nodes("amsterdam", await nodesOfAmsterdam()));
    expect(await names("cairo")).toEqual([]);
});

test.each(["SIGINT", "SIGKILL"] as const)(
    "after %s in the middle of an update the next run is whole again",
    async (signal) => {
        await started();
        // Something to do for the update that is interrupted.
        expect((await clone.npmStart("--remove-cluster").finished).code).toBe(0);
        const run = clone.bareStart();
        await run.printed("Updating (local)");
        // SIGINT reaches the whole group, as from a terminal; SIGKILL only the program, which leaves pulumi an orphan.
        process.kill(signal === "SIGINT" ? -run.child.pid! : run.child.pid!, signal);
        await run.finished;
        await started();
        const count = await nodesOfAmsterdam();
        expect(await names("cairo")).toEqual([...nodes("amsterdam", count), ...nodes("berlin", 3)]);
        expect(await names("berlin")).toEqual([...nodes("amsterdam", count), NILE]);
    },
);

test("with what --env prints, pulumi itself sees an unchanged stack at the root", async () => {
    await started();
    const { code, text } = await clone.bareStart("--env").finished;
    expect(code).toBe(0);
    expect(text).not.toContain("export HOME=");
    const env = Object.fromEntries(
        [...text.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name, value]) => [name, value]),
    );
    const preview = ["preview", "--expect-no-changes", "--non-interactive"];
    const { stdout } = await promisify(execFile)("pulumi", preview, { cwd: clone.directory, env });
    expect(stdout).toMatch(/unchanged/);
});

test("destroy leaves no peer, and the clusters go on", async () => {
    await started();
    expect((await clone.npmStart("--destroy").finished).code).toBe(0);
    expect(await peers()).toEqual({ amsterdam: {}, berlin: {}, cairo: {} });
});

test("stop leaves no process and no file", async () => {
    await started();
    const record = findRecord(registryDirectory(), clone.clusters)!;
    expect((await clone.npmStart("--stop").finished).code).toBe(0);
    expect([record.supervisor, ...record.processes].filter(isAlive)).toEqual([]);
    expect(existsSync(join(clone.directory, ".local/quickstart"))).toBe(false);
    expect(findRecord(registryDirectory(), clone.clusters)).toBeUndefined();
    const again = await clone.bareStart("--stop").finished;
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining("Nothing was running") });
});
