import { isOfMesh } from "../../support/engine/member-cluster";
import { recordedStacks } from "../../support/recorded";
import { type Replay, replayRecorded } from "../../support/replay-recorded";

/** Peers of ours that are not as they were, as `cluster/name`. */
async function changesOf({ world }: Replay, work: () => Promise<void>): Promise<string[]> {
    const peers = async () => {
        const all = new Map<string, string>();
        for (const member of world.clusters) {
            for (const peer of await member.peers())
                all.set(`${member.name}/${peer.metadata.name}`, JSON.stringify(peer));
        }
        return all;
    };
    const before = await peers();
    await work();
    const after = await peers();
    return [...new Set([...before.keys(), ...after.keys()])]
        .filter((name) => before.get(name) !== after.get(name))
        .sort();
}

/** A run without failures; returns which peer sets it changed. */
async function up({ engine, program }: Replay): Promise<string[]> {
    const { failures, changes } = await engine.up(program);
    expect(failures).toEqual([]);
    return changes.filter((change) => change.endsWith("/peers"));
}

const wasSilent = (replay: Replay, cluster: string): boolean =>
    replay.engine.state.get(cluster)?.outputs.unreachableSince !== undefined;

describe.each(recordedStacks())("on the stack %s", (stack) => {
    let replay: Replay;
    beforeEach(async () => {
        replay = await replayRecorded(stack);
        for (const { name, proxy } of replay.world.clusters) if (wasSilent(replay, name)) await proxy.down();
    });
    afterEach(() => replay.world.close());

    /** Clusters that answer, as they did when it was recorded. */
    const answering = () => replay.world.clusters.filter(({ name }) => !wasSilent(replay, name));

    test("an up writes no peer, withdraws none and leaves every peer set as it is", async () => {
        const state = (name: string) => replay.engine.state.get(`${name}/peers`);
        const before = replay.world.clusters.map(({ name }) => state(name)?.outputs.ledger);
        const changed = await changesOf(replay, async () => expect(await up(replay)).toEqual([]));
        expect(changed).toEqual([]);
        expect(replay.world.clusters.map(({ name }) => state(name)?.outputs.ledger)).toEqual(before);
    });

    test("an up changes each member once, and the next one changes nothing", async () => {
        const first = await replay.engine.up(replay.program);
        expect(first.changes.filter((change) => !change.includes("(mesh)")).sort()).toEqual(
            replay.world.clusters.map(({ name }) => `update ${name}`).sort(),
        );
        const nodes = (name: string) => String(replay.engine.state.get(name)?.outputs.nodes);
        for (const { name } of replay.world.clusters) expect(nodes(name)).toMatch(/^\S+ pods=/);
        expect((await replay.engine.up(replay.program)).changes).toEqual([]);
    });

    test("a refresh finds every peer as it was written", async () => {
        const changed = await changesOf(replay, async () => {
            const { failures, changes } = await replay.engine.refresh();
            expect(failures).toEqual([]);
            expect(changes.filter((change) => change.endsWith("/peers"))).toEqual([]);
        });
        expect(changed).toEqual([]);
    });

    test("a node with another key changes its own peers and no other", async () => {
        await up(replay);
        const [source] = answering();
        const node = [...source!.double.nodes.values()][0]!;
        const key = Buffer.alloc(32, 7).toString("base64");
        const annotations = { ...node.metadata.annotations, "kilo.squat.ai/key": key };
        source!.double.putNode({ ...node, metadata: { ...node.metadata, annotations } });
        const changed = await changesOf(replay, async () => void (await up(replay)));
        const linked = answering().filter(({ name }) => name !== source!.name);
        expect(changed).toEqual(
            linked.map(({ name }) => `${name}/edge--${source!.name}--${node.metadata.name}`).sort(),
        );
        for (const { double } of linked) {
            expect(double.peers.get(`edge--${source!.name}--${node.metadata.name}`).spec.publicKey).toBe(key);
        }
        expect(await up(replay)).toEqual([]);
    });

    test("a destroy leaves nothing but what is not ours", async () => {
        for (const { proxy, name } of replay.world.clusters) if (wasSilent(replay, name)) await proxy.up();
        const foreign = await replay.world.foreign();
        const { failures } = await replay.engine.destroy();
        expect(failures).toEqual([]);
        expect(replay.engine.state.size).toBe(0);
        expect(await replay.world.foreign()).toBe(foreign);
        for (const { double } of replay.world.clusters) expect(double.peers.all().filter(isOfMesh)).toEqual([]);
    });
});

describe("a cluster that was silent when it was recorded", () => {
    const stack = "0.1.0/unreachable";
    let replay: Replay;
    beforeEach(async () => {
        replay = await replayRecorded(stack);
    });
    afterEach(() => replay.world.close());

    const member = () => replay.engine.state.get("tokyo")!.outputs;

    test("keeps the time since when it is silent", async () => {
        const since = member().unreachableSince;
        expect(since).toMatch(/^\d{4}-\d\d-\d\dT/);
        await replay.world.get("tokyo").proxy.down();
        await up(replay);
        expect(member().unreachableSince).toBe(since);
    });

    test("gets what it missed when it is back, and nothing else is written", async () => {
        expect(await changesOf(replay, async () => void (await up(replay)))).toEqual(["tokyo/edge--hub--hub-n3"]);
        expect(member()).not.toHaveProperty("unreachableSince");
        expect(await up(replay)).toEqual([]);
    });
});
