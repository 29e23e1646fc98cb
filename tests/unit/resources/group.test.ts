import { members, peerSets } from "../../../provider/resources/group";
import { propertyOf } from "../../../provider/resources/group-items";
import type { Props } from "../../../provider/resources/host";
import { meshRecord } from "../../../provider/resources/mesh-record";
import { decodeKubeconfigs, encodeKubeconfigs } from "../../../provider/state/kubeconfigs-text";
import { CLAIM_LABEL } from "../../../provider/values/labels";
import { isUnknown, UNKNOWN } from "../../../provider/values/unknown";
import { nodeSpecs } from "../../../tools/clusters/node-spec";
import { type DoubleMember, startDoubleWorld } from "../../support/engine/double-world";
import type { MeshWorld } from "../../support/engine/mesh-world";
import type { MiniEngine, Program } from "../../support/engine/mini-engine";
import { memoryHost } from "../../support/memory-cluster";

jest.setTimeout(120_000);

let world: MeshWorld<DoubleMember>;
let engine: MiniEngine;
let program: Program;

beforeEach(async () => {
    world = await startDoubleWorld(["hub", "berlin", "tokyo"]);
    for (const member of world.clusters) for (const spec of nodeSpecs(member, 2)) await member.putNode(spec);
    engine = world.engine();
    program = world.program({ requestTimeout: 1, grouped: true });
});

afterEach(() => world.close());

const without = (name: string): Program => ({
    ...program,
    clusters: program.clusters.filter((cluster) => cluster.name !== name),
});
const writes = (name: string): string[] =>
    world
        .get(name)
        .proxy.requests.filter(({ method }) => method !== "GET")
        .map(({ method, path }) => `${method} ${path.split("/").at(-1)}`)
        .sort();
const forget = (): void => {
    for (const { proxy } of world.clusters) proxy.resetLog();
};
const namesIn = async (name: string): Promise<string[]> =>
    (await world.get(name).peers()).map(({ metadata }) => metadata.name);
const wellUp = async (): Promise<void> => expect((await engine.up(program)).failures).toEqual([]);

test("grouped or not, the same peers are written, and nothing is done when nothing changed", async () => {
    await wellUp();
    const grouped = await world.lines();
    const idle = await engine.up(program);
    expect(idle).toMatchObject({ failures: [], changes: [] });
    expect((await engine.destroy()).failures).toEqual([]);
    expect(await world.lines()).toEqual({ hub: {}, berlin: {}, tokyo: {} });
    const single = world.engine();
    await single.up({ ...program, grouped: false });
    expect(await world.lines()).toEqual(grouped);
});

test("two resources and the record are all that the state has, and a node's facts are in it once", async () => {
    await wellUp();
    expect([...engine.state.keys()]).toEqual(["(mesh)", "(members)", "(peers)"]);
    const { inputs, outputs } = engine.state.get("(members)")!;
    expect(JSON.stringify(inputs)).toContain("berlin-n2 pods=");
    expect(JSON.stringify(outputs)).not.toContain("berlin-n2");
});

test("a node that joins costs one write in each other cluster and none elsewhere", async () => {
    await wellUp();
    forget();
    await world.get("hub").putNode(nodeSpecs({ name: "hub" }, 3)[2]!);
    expect((await engine.up(program)).failures).toEqual([]);
    expect([writes("hub"), writes("berlin"), writes("tokyo")]).toEqual([[], ["POST peers"], ["POST peers"]]);
});

describe("a cluster that fails", () => {
    const refused = { kind: "answer", status: 403 } as const;

    test("costs the others nothing, is named, and what it has is recorded for the next run", async () => {
        world.get("berlin").proxy.inject({ fault: refused, when: ({ method }) => method === "POST" });
        const { failures } = await engine.up(program);
        expect(failures.join("\n")).toMatch(
            /1 cluster of 3 failed \(berlin\).*berlin: edge--hub--hub-n1: .*4 of 4 changes in berlin failed/s,
        );
        expect(await namesIn("tokyo")).toHaveLength(4);
        expect(await namesIn("berlin")).toEqual([]);
        world.calm();
        forget();
        await wellUp();
        expect(writes("berlin")).toHaveLength(4);
        expect(writes("tokyo")).toEqual([]);
        expect((await engine.up(program)).changes).toEqual([]);
    });

    test("keeps what others remove from being removed in that run, as the engine does it", async () => {
        await wellUp();
        await world.get("hub").putNode(nodeSpecs({ name: "hub" }, 3)[2]!);
        world.get("berlin").proxy.inject({ fault: refused, when: ({ method }) => method === "POST" });
        expect((await engine.up(without("tokyo"))).failures).toHaveLength(1);
        expect(await namesIn("tokyo")).toHaveLength(4);
        world.calm();
        expect((await engine.up(without("tokyo"))).failures).toEqual([]);
        expect(await namesIn("tokyo")).toEqual([]);
    });

    test("while it is silent its peers stay, and those of its nodes in the others", async () => {
        await wellUp();
        const before = await world.lines();
        await world.get("tokyo").proxy.down();
        const silent = await engine.up(program);
        expect(silent.failures).toEqual([]);
        expect(silent.plan?.unseen.map(({ cluster, state }) => `${cluster} ${state}`)).toEqual(["tokyo silent"]);
        expect(await world.lines()).toEqual(before);
        expect((await engine.up(program)).changes).toEqual([]);
        await world.get("tokyo").proxy.up();
        await wellUp();
        expect(await world.lines()).toEqual(before);
    });
});

describe("a cluster that leaves the mesh", () => {
    test("is cleaned up, and so are its peers in the others", async () => {
        await wellUp();
        expect((await engine.up(without("tokyo"))).failures).toEqual([]);
        expect(await namesIn("tokyo")).toEqual([]);
        expect(await namesIn("hub")).toEqual(["edge--berlin--berlin-n1", "edge--berlin--berlin-n2"]);
        expect((await engine.up(without("tokyo"))).changes).toEqual([]);
        expect((await engine.destroy()).failures).toEqual([]);
    });

    test("stays while the run is to fail for another one, as the engine does it", async () => {
        await wellUp();
        world.get("berlin").proxy.inject({ fault: { kind: "answer", status: 401 } });
        expect((await engine.up(without("tokyo"))).failures).toHaveLength(1);
        expect(await namesIn("tokyo")).toHaveLength(4);
        world.calm();
        expect((await engine.up(without("tokyo"))).failures).toEqual([]);
        expect(await namesIn("tokyo")).toEqual([]);
    });

    test("and is silent stays owed: each run says so until it answers", async () => {
        await wellUp();
        await world.get("tokyo").proxy.down();
        const { failures } = await engine.up(without("tokyo"));
        expect(failures.join("\n")).toContain("the peers in tokyo could not be deleted and stay in the state");
        expect(await namesIn("hub")).toHaveLength(2);
        expect((await engine.up(without("tokyo"))).failures).toHaveLength(1);
        await world.get("tokyo").proxy.up();
        expect((await engine.up(without("tokyo"))).failures).toEqual([]);
        expect(await namesIn("tokyo")).toEqual([]);
    });

    test("with another name instead keeps its peers: they are taken over", async () => {
        await wellUp();
        const uids = async () =>
            (await world.get("tokyo").peers()).map(({ metadata: { name, uid } }) => `${name} ${uid}`);
        const before = await uids();
        const renamed = program.clusters.map((cluster) =>
            cluster.name === "tokyo" ? { ...cluster, name: "kyoto" } : cluster,
        );
        expect((await engine.up({ ...program, clusters: renamed })).failures).toEqual([]);
        expect(await uids()).toEqual(before);
        expect((await engine.up({ ...program, clusters: renamed })).changes).toEqual([]);
    });

    test("is cleaned up even where the run that first wrote there was cut off before anything was recorded", async () => {
        await engine.up(without("tokyo"));
        await cutOffInTokyo();
        expect((await engine.up(without("tokyo"))).failures).toEqual([]);
        expect(await namesIn("tokyo")).toEqual([]);
        expect((await engine.up(without("tokyo"))).changes).toEqual([]);
    });

    function crashAtFirstWrite(cluster: string): void {
        let isFirst = true;
        world.get(cluster).onWrite!(() => {
            if (isFirst) engine.crashed = true;
            isFirst = false;
        });
    }

    /** The run that first writes into tokyo is cut off before its peer sets record anything. */
    async function cutOffInTokyo(): Promise<void> {
        crashAtFirstWrite("tokyo");
        expect((await engine.up(program)).failures).toContain("killed");
        expect((await namesIn("tokyo")).length).toBeGreaterThan(0);
        expect(engine.ledgerOf("tokyo")).toBe("");
    }

    test("before its first run was recorded stays owed while runs fail for another one, and is cleaned up then", async () => {
        await engine.up(without("tokyo"));
        await cutOffInTokyo();
        world.get("berlin").proxy.inject({ fault: { kind: "answer", status: 401 } });
        expect((await engine.up(without("tokyo"))).failures).toHaveLength(1);
        world.calm();
        expect((await engine.up(without("tokyo"))).failures).toEqual([]);
        expect(await namesIn("tokyo")).toEqual([]);
        expect((await engine.up(without("tokyo"))).changes).toEqual([]);
    });

    test("before its first run was recorded is remembered by the members until the peer sets are done with it", async () => {
        await engine.up(without("tokyo"));
        await cutOffInTokyo();
        // the members are recorded, and the run ends before the peer sets are
        crashAtFirstWrite("hub");
        await world.get("tokyo").proxy.down();
        await world.get("berlin").putNode(nodeSpecs({ name: "berlin" }, 3)[2]!);
        expect((await engine.up(without("tokyo"))).failures).toContain("killed");
        await world.get("tokyo").proxy.up();
        await world.get("berlin").putNode(nodeSpecs({ name: "berlin" }, 4)[3]!);
        expect((await engine.up(without("tokyo"))).failures).toEqual([]);
        expect(await namesIn("tokyo")).toEqual([]);
    });

    test("is cleaned up though its peer set still says that it was never seen", async () => {
        await world.get("tokyo").proxy.down();
        expect((await engine.up(program)).failures).toEqual([]);
        await world.get("tokyo").proxy.up();
        await cutOffInTokyo();
        expect((await engine.up(without("tokyo"))).failures).toEqual([]);
        expect(await namesIn("tokyo")).toEqual([]);
    });

    test("keeps its peers with retain", async () => {
        await wellUp();
        const { id, outputs, inputs } = engine.state.get("(peers)")!;
        const { [propertyOf("tokyo")]: _, ...rest } = inputs;
        const { outs } = await peerSets.update(memoryHost([]), id, outputs, {
            ...rest,
            retain: true,
        });
        expect(outs[propertyOf("tokyo")]).toBeUndefined();
        expect(await namesIn("tokyo")).toHaveLength(4);
    });
});

test("claims are known before anything is created, and differ from cluster to cluster", async () => {
    await wellUp();
    const claims = engine.claims();
    expect(new Set(Object.values(claims)).size).toBe(3);
    for (const member of world.clusters) {
        for (const { metadata } of await member.peers()) {
            expect(metadata.labels?.[CLAIM_LABEL]).toBe(claims[member.name]);
        }
    }
});

test("a cluster of which nothing is known yet leaves what is known of the others known", async () => {
    await wellUp();
    const { inputs } = engine.state.get("(members)")!;
    const checked = members.check(memoryHost([]), inputs, { ...inputs, [propertyOf("tokyo")]: UNKNOWN }).inputs;
    expect(isUnknown(checked[propertyOf("tokyo")])).toBe(true);
    expect(checked[propertyOf("hub")]).toEqual(inputs[propertyOf("hub")]);
});

test("a kubeconfig that is not known yet hides no other, and the one that was recorded holds", async () => {
    await wellUp();
    const { id, inputs, outputs } = engine.state.get("(peers)")!;
    const { tokyo, ...others } = decodeKubeconfigs(inputs.kubeconfigs);
    const own = { ...(inputs[propertyOf("tokyo")] as Props), kubeconfig: UNKNOWN };
    const news = { ...inputs, kubeconfigs: encodeKubeconfigs(others), [propertyOf("tokyo")]: own };
    const checked = peerSets.check(memoryHost([]), inputs, news).inputs;
    expect(decodeKubeconfigs(checked.kubeconfigs)).toEqual(others);
    expect(checked[propertyOf("tokyo")]).toMatchObject({ kubeconfig: UNKNOWN });
    forget();
    const { outs } = await peerSets.update(memoryHost([]), id, outputs, checked);
    expect(decodeKubeconfigs(outs.kubeconfigs)).toEqual({ ...others, tokyo });
    expect(world.clusters.flatMap(({ name }) => writes(name))).toEqual([]);
});

test("peers that all spokes have are in the state once", async () => {
    await wellUp();
    const { inputs } = engine.state.get("(peers)")!;
    expect(JSON.stringify(inputs).split("edge--hub--hub-n1 ")).toHaveLength(2);
    const sources = Object.keys(inputs).filter((key) => key.startsWith("peers:"));
    expect(sources.sort()).toEqual(["peers:berlin", "peers:hub", "peers:tokyo"]);
});

test.each([
    [false, true],
    [true, false],
])("a mesh that was recorded with grouped: %s is not recorded otherwise later", (before, after) => {
    const record = (grouped: boolean) => ({ resource: "mesh", mesh: "edge", ...(grouped ? { grouped } : {}) });
    const { failures } = meshRecord.check(memoryHost([]), record(before), record(after));
    expect(failures).toEqual([
        {
            property: "grouped",
            reason: "the form in which a mesh is recorded is chosen when it is made and cannot change: set grouped back to what it was",
        },
    ]);
    expect(meshRecord.check(memoryHost([]), record(after), record(after)).failures).toEqual([]);
    expect(meshRecord.check(memoryHost([]), {}, record(after)).failures).toEqual([]);
});
