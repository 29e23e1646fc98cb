import { setTimeout as sleep } from "node:timers/promises";
import { readStack } from "../../../../cli/stack/read-stack";
import { nodeSpecs } from "../../../../tools/clusters/node-spec";
import { exported } from "../support/exported-stack";
import { eventually, quick, startWatchedDoubles, type WatchedDoubles } from "../support/watched-mesh";

let doubles: WatchedDoubles;
beforeEach(async () => {
    doubles = await startWatchedDoubles();
    expect((await doubles.engine.up(doubles.program)).failures).toEqual([]);
});
afterEach(() => doubles.close());

const get = (name: string) => doubles.world.get(name);
const third = (cluster: string) => get(cluster).putNode(nodeSpecs({ name: cluster }, 3)[2]!);
const hasPeer = (target: string, name: string) => async () =>
    (await get(target).peers()).some(({ metadata }) => metadata.name === name);
/** Every member was listed, and its streams are open. */
const following = () => eventually(() => doubles.world.clusters.every(({ double }) => double.watches === 2));
const refused = { fault: { kind: "answer", status: 401 } } as const;
const ENDED_BADLY = { isOk: false, how: "exit code 1", lines: [] };
const ENDED_WELL = { isOk: true, how: "exit code 0", lines: [] };

test("a member that lists its nodes and does not say which cluster it is counts as silent and holds nobody up", async () => {
    get("tokyo").proxy.inject({
        fault: { kind: "answer", status: 500 },
        when: ({ path }) => path.endsWith("/namespaces/kube-system"),
    });
    const watched = doubles.watch();
    await watched.says(/^tokyo is silent/);
    await third("hub");
    await eventually(hasPeer("berlin", "edge--hub--hub-n3"), () => watched.lines.join("\n"));
});

test("a member whose credentials expire while its streams are open holds up no changes of the others", async () => {
    const watched = doubles.watch({ probeSeconds: 60 });
    await following();
    get("tokyo").proxy.inject(refused);
    await third("hub");
    await watched.says(/^the run failed, but nothing is left that it could do/);
    expect(watched.lines.filter((line) => line.startsWith("tokyo is unusable"))).toHaveLength(1);
    expect(await hasPeer("berlin", "edge--hub--hub-n3")()).toBe(true);
    expect(watched.lines.filter((line) => line.includes("tried again"))).toEqual([]);
});

test("credentials that a person renews in the stack are found, however long after they were refused", async () => {
    let reads = 0;
    const watched = doubles.watch({
        clock: quick(100),
        reread: async () => {
            reads++;
            const found = readStack(exported(doubles.engine, doubles.program), { stack: "test", directory: "/" });
            if (reads < 3) return found;
            // the third time there are new ones
            get("tokyo").proxy.clear();
            return { ...found, mesh: { ...found.mesh, clusters: found.mesh.clusters.map(renewed) } };
        },
    });
    await watched.says(/ is seen/, 3);
    get("tokyo").proxy.inject(refused);
    await watched.says(/^tokyo is unusable/);
    await watched.says(/^tokyo is seen/, 2);
    expect(reads).toBeGreaterThanOrEqual(3);
});

const renewed = <T extends { readonly name: string; readonly kubeconfig?: string }>(cluster: T): T =>
    cluster.name === "tokyo" ? { ...cluster, kubeconfig: ` ${cluster.kubeconfig}` } : cluster;

test("a run that fails and renews credentials is tried again later each time, as any that fails", async () => {
    let reads = 0;
    // before it starts: with once it ends as soon as nothing differs
    await third("hub");
    const watched = doubles.watch({
        once: true,
        run: async () => ENDED_BADLY,
        reread: async () => {
            reads++;
            const found = readStack(exported(doubles.engine, doubles.program), { stack: "test", directory: "/" });
            const clusters = found.mesh.clusters.map((cluster) => ({
                ...cluster,
                kubeconfig: `${" ".repeat(reads)}${cluster.kubeconfig}`,
            }));
            return { ...found, mesh: { ...found.mesh, clusters } };
        },
    });
    expect(await watched.watcher.done).toBe(2);
    expect(watched.watcher.state()).toMatchObject({ runs: { failed: { count: 3 }, partial: { count: 0 } } });
});

test("a run that has failed when it is told to stop is not said to be tried again", async () => {
    const watched = doubles.watch({
        run: async () => {
            setTimeout(() => watched.watcher.stop(), 100);
            return ENDED_BADLY;
        },
    });
    await following();
    await third("hub");
    expect(await watched.watcher.done).toBe(0);
    expect(watched.lines.filter((line) => line.includes("tried again"))).toEqual([]);
});

test("a state that is read while it is told to stop starts no watch any more", async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
        answer = resolve;
    });
    let isRead = false;
    const watched = doubles.watch({
        clock: quick(100),
        reread: async () => {
            isRead = true;
            await asked;
            const found = readStack(exported(doubles.engine, doubles.program), { stack: "test", directory: "/" });
            return { ...found, mesh: { ...found.mesh, clusters: found.mesh.clusters.map(renewed) } };
        },
    });
    await watched.says(/ is seen/, 3);
    get("tokyo").proxy.inject(refused);
    await eventually(() => isRead);
    watched.watcher.stop();
    expect(await watched.watcher.done).toBe(0);
    const { proxy } = get("tokyo");
    proxy.clear();
    // what was under way still arrives
    await sleep(200);
    proxy.resetLog();
    answer();
    await sleep(200);
    expect(proxy.requests).toEqual([]);
});

test("with --once a leader whose annotations are missing for a moment is waited for", async () => {
    for (const name of ["hub-n1", "hub-n2"]) {
        await get("hub").annotate(name, { "kilo.squat.ai/granularity": "location", "kilo.squat.ai/location": "a" });
    }
    await doubles.engine.up(doubles.program);
    const [led] = (await get("berlin").peers()).filter(({ metadata }) => metadata.name.startsWith("edge--hub--"));
    const [leader] = (await get("hub").nodes()).filter(
        ({ metadata }) => metadata?.annotations?.["kilo.squat.ai/key"] === led?.spec?.publicKey,
    );
    await get("hub").annotate(leader!.metadata!.name!, { "kilo.squat.ai/key": null });
    const watched = doubles.watch({ once: true, clock: quick(10) });
    expect(await watched.watcher.done).toBe(0);
    expect(watched.runs()).toBe(1);
});

describe("with a file", () => {
    test("a member that comes back as it was, after a run that could not see it, gets what that run could not write", async () => {
        const watched = doubles.watch({ from: "file" });
        await watched.says(/^the run succeeded/);
        await get("tokyo").proxy.down();
        await watched.says(/^tokyo is silent/);
        await third("hub");
        await eventually(hasPeer("berlin", "edge--hub--hub-n3"));
        await watched.says(/^the run /, 2);
        await get("tokyo").proxy.up();
        await eventually(hasPeer("tokyo", "edge--hub--hub-n3"), () => watched.lines.join("\n"));
    });

    test("a run that ends well has done its work, whatever the plan by labels would have liked", async () => {
        await third("hub");
        const watched = doubles.watch({ from: "file", run: async () => ENDED_WELL });
        await watched.says(/^the run succeeded/);
        await sleep(300);
        expect(watched.runs()).toBe(1);
    });

    test("a run that fails though every member was seen is tried again, and is no success", async () => {
        const watched = doubles.watch({ from: "file", once: true, run: async () => ENDED_BADLY });
        expect(await watched.watcher.done).toBe(2);
        expect(watched.runs()).toBe(3);
        expect(watched.watcher.state()).toMatchObject({ runs: { failed: { count: 3 }, partial: { count: 0 } } });
        expect(watched.watcher.state().lastSuccess).toBeUndefined();
    });
});

test("a stream that breaks at once, every time, is not listed several times a second", async () => {
    const { proxy } = get("tokyo");
    proxy.inject({ fault: { kind: "reset" }, when: ({ watch }) => watch === true });
    const watched = doubles.watch({ longestPauseSeconds: 30 });
    await watched.says(/ is seen/, 3);
    await sleep(4_000);
    const lists = proxy.requests.filter(({ path, watch }) => path === "/api/v1/nodes" && watch === undefined);
    // after half a second, one, two: half of it being chance
    expect(lists.length).toBeGreaterThan(1);
    expect(lists.length).toBeLessThanOrEqual(6);
});

test("what differs after a run is asked of its members, where streams are open and say nothing", async () => {
    // the heads of its watches come through and no event ever
    get("berlin").proxy.inject({ fault: { kind: "mute" }, when: ({ watch }) => watch === true, times: 2 });
    const watched = doubles.watch();
    await following();
    await third("hub");
    await watched.says(/^the run /);
    expect(watched.lines.filter((line) => line.startsWith("the run "))).toEqual([
        expect.stringContaining("the run succeeded"),
    ]);
});
