import { assess } from "../../../../cli/assess";
import { look } from "../../../../cli/sight";
import { readStack } from "../../../../cli/stack/read-stack";
import { driftOf } from "../../../../provider/mesh/drift";
import { UNKNOWN } from "../../../../provider/values/unknown";
import { nodeSpecs, publicKey } from "../../../../tools/clusters/node-spec";
import { type DoubleMember, startDoubleWorld } from "../../../support/engine/double-world";
import type { MeshWorld } from "../../../support/engine/mesh-world";
import type { MiniEngine, Program } from "../../../support/engine/mini-engine";
import { COMPONENT, DYNAMIC, exported } from "../support/exported-stack";

jest.setTimeout(120_000);

let world: MeshWorld<DoubleMember>;
let engine: MiniEngine;
let program: Program;

beforeEach(async () => {
    world = await startDoubleWorld(["hub", "berlin", "tokyo"]);
    for (const member of world.clusters) for (const spec of nodeSpecs(member, 3)) await member.putNode(spec);
    engine = world.engine();
    program = world.program({ onUnusable: "warn", requestTimeout: 2 });
    expect((await engine.up(program)).failures).toEqual([]);
});

afterEach(() => world.close());

/** What the command line would plan, and what `up` then plans. */
async function bothPlans(prefix = DYNAMIC) {
    const { mesh, record } = readStack(exported(engine, program, prefix), { stack: "test", directory: "/" });
    const sight = await look(mesh, { timeoutSeconds: 2, withPermissions: false, onProgress: () => undefined });
    const { plan } = assess(mesh, sight, record);
    const { unseen: _, ...done } = (await engine.up(program)).plan!;
    return { planned: plan, done };
}

const unusable = { fault: { kind: "answer", status: 401 } } as const;

const CHANGES: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["nothing has changed", async () => undefined],
    ["a node joined", () => world.get("hub").putNode(nodeSpecs({ name: "hub" }, 4)[3]!)],
    ["a node left", () => world.get("hub").deleteNode("hub-n2")],
    ["a key is missing", () => world.get("hub").annotate("hub-n1", { "kilo.squat.ai/key": null })],
    ["a node has gone stale", () => world.get("hub").annotate("hub-n1", { "kilo.squat.ai/last-seen": "1000000000" })],
    [
        "a leader has gone stale",
        async () => {
            for (const name of ["hub-n1", "hub-n2", "hub-n3"]) {
                await world.get("hub").annotate(name, {
                    "kilo.squat.ai/granularity": "location",
                    "kilo.squat.ai/location": "site",
                    "kilo.squat.ai/last-seen": name === "hub-n1" ? "1000000000" : `${Math.floor(Date.now() / 1000)}`,
                });
            }
        },
    ],
    ["an address is malformed", () => world.get("hub").annotate("hub-n1", { "kilo.squat.ai/wireguard-ip": "none" })],
    [
        "all its nodes are gone",
        async () => {
            for (const name of ["hub-n1", "hub-n2", "hub-n3"]) await world.get("hub").deleteNode(name);
        },
    ],
    ["somebody deleted a peer", () => world.get("hub").deletePeer("edge--berlin--berlin-n1")],
    [
        "a node was made again under its name",
        async () => {
            const [, spec] = nodeSpecs({ name: "hub" }, 3);
            await world.get("hub").deleteNode("hub-n2");
            await world.get("hub").putNode({ ...spec!, key: publicKey("hub", "again") });
        },
    ],
    ["a node opts out", () => world.get("hub").annotate("hub-n1", { "kilo-clustermesh.io/ignore": "true" })],
    [
        "a stranger holds the network of a node that joins",
        async () => {
            await world.get("berlin").createPeer("stranger", {
                publicKey: publicKey("nobody", "stranger"),
                allowedIPs: ["10.16.4.0/24"],
            });
            await world.get("hub").putNode(nodeSpecs({ name: "hub" }, 4)[3]!);
        },
    ],
];

const KNOWLEDGE: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["all are seen", async () => undefined],
    ["one is silent", () => world.get("tokyo").proxy.down()],
    ["one is unusable", async () => world.get("tokyo").proxy.inject(unusable)],
    [
        "one is another cluster than recorded",
        async () => world.get("tokyo").double.namespaces.set("kube-system", "another"),
    ],
    [
        "one is silent and one unusable",
        async () => {
            await world.get("tokyo").proxy.down();
            world.get("berlin").proxy.inject(unusable);
        },
    ],
];

describe.each(KNOWLEDGE)("with a stack, where %s", (_, takeAway) => {
    test.each(CHANGES)("the plan is the one of the next up: %s", async (_, change) => {
        await takeAway();
        // since when a member is silent or unusable is recorded now
        await engine.up(program);
        await change();
        const { planned, done } = await bothPlans();
        expect(planned).toEqual(done);
    });
});

describe.each(KNOWLEDGE)("with a stack whose clusters are grouped, where %s", (_, takeAway) => {
    test.each(CHANGES)("the plan is the one of the next up: %s", async (_, change) => {
        await engine.destroy();
        engine = world.engine();
        program = { ...program, grouped: true };
        expect((await engine.up(program)).failures).toEqual([]);
        await takeAway();
        await engine.up(program);
        await change();
        const { planned, done } = await bothPlans();
        expect(planned).toEqual(done);
    });
});

test("the plan is the same where the plugin has made the resources", async () => {
    await world.get("hub").putNode(nodeSpecs({ name: "hub" }, 4)[3]!);
    const { planned, done } = await bothPlans("kilo-clustermesh:index:");
    expect(planned).toEqual(done);
    expect(driftOf(planned.targets.berlin!)).toEqual([{ name: "edge--hub--hub-n4", kind: "missing" }]);
});

test("a member that the stack has not recorded yet is planned as up would", async () => {
    const known = engine.state.get("tokyo")!;
    engine.state.delete("tokyo");
    const text = exported(engine, program, DYNAMIC);
    const { record } = readStack(text, { stack: "test", directory: "/" });
    expect(Object.keys(record.members).sort()).toEqual(["berlin", "hub"]);
    const sight = await look(
        { ...program },
        { timeoutSeconds: 2, withPermissions: false, onProgress: () => undefined },
    );
    const { plan } = assess({ ...program }, sight, record);
    expect(plan.facts.tokyo?.map(({ name }) => name)).toEqual(["tokyo-n1", "tokyo-n2", "tokyo-n3"]);
    engine.state.set("tokyo", known);
});

test.each([
    ["no mesh", { deployment: { resources: [] } }, "has no ClusterMesh"],
    [
        "a mesh of an older version",
        { deployment: { resources: [{ urn: COMPONENT, type: "kilo-clustermesh:index:ClusterMesh" }] } },
        "does not hold the arguments of edge",
    ],
    [
        "arguments that are not known, after an update that was not complete",
        {
            deployment: {
                resources: [
                    { urn: COMPONENT, type: "kilo-clustermesh:index:ClusterMesh", outputs: { meshFile: UNKNOWN } },
                ],
            },
        },
        "does not hold the arguments of edge",
    ],
    ["something else", [], "is not the state of a stack"],
])("a stack with %s is refused with what to do", (_, state, message) => {
    expect(() => readStack(JSON.stringify(state), { stack: "test", directory: "/" })).toThrow(message);
});

test("of several meshes one is chosen by name", () => {
    const mesh = (name: string) => ({
        urn: `urn:pulumi:test::meshes::kilo-clustermesh:index:ClusterMesh::${name}`,
        type: "kilo-clustermesh:index:ClusterMesh",
        outputs: {
            meshFile: JSON.stringify({
                mesh: name,
                clusters: [
                    { name: "a", podCIDRs: ["10.1.0.0/16"] },
                    { name: "b", podCIDRs: ["10.2.0.0/16"] },
                ],
            }),
        },
    });
    const text = JSON.stringify({ deployment: { resources: [mesh("east"), mesh("west")] } });
    expect(() => readStack(text, { stack: "test", directory: "/" })).toThrow("2 meshes: east, west");
    expect(readStack(text, { stack: "test", directory: "/", mesh: "west" }).mesh.mesh).toBe("west");
    expect(() => readStack(text, { stack: "test", directory: "/", mesh: "wset" })).toThrow("there is no mesh");
});
