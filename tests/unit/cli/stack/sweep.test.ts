import { readStack } from "../../../../cli/stack/read-stack";
import { reach } from "../../../../cli/sweep/reach";
import { recordedOwner } from "../../../../cli/sweep/recorded-owner";
import { sweepReport } from "../../../../cli/sweep/report";
import { CLAIM_LABEL, MESH_ID_LABEL, MESH_LABEL } from "../../../../provider/values/labels";
import { nodeSpecs, publicKey } from "../../../../tools/clusters/node-spec";
import { type DoubleMember, startDoubleWorld } from "../../../support/engine/double-world";
import type { MeshWorld } from "../../../support/engine/mesh-world";
import type { MiniEngine, Program } from "../../../support/engine/mini-engine";
import { exported } from "../support/exported-stack";

jest.setTimeout(120_000);

let world: MeshWorld<DoubleMember>;
let engine: MiniEngine;
let program: Program;

beforeEach(async () => {
    world = await startDoubleWorld(["hub", "berlin"]);
    for (const member of world.clusters) for (const spec of nodeSpecs(member, 2)) await member.putNode(spec);
    engine = world.engine();
    program = world.program({ requestTimeout: 2 });
    expect((await engine.up(program)).failures).toEqual([]);
});

afterEach(() => world.close());

const wanted = { stack: "prod", directory: "/" };

async function put(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await world.get("hub").createPeer(name, { publicKey: publicKey("berlin", name), allowedIPs: ["10.99.1.0/24"] });
    await world.get("hub").patchPeer(name, { metadata: { labels } });
}

async function swept() {
    const { mesh, record } = readStack(exported(engine, program), wanted);
    const { of, owner } = recordedOwner("prod", record);
    const reached = await reach(mesh.clusters, { timeoutSeconds: 2, onProgress: () => undefined });
    try {
        return sweepReport(of, ["hub", "berlin"], reached.clusters, owner);
    } finally {
        await reached.close();
    }
}

test("nothing that a stack lists is offered, and a mesh without left-overs is clean", async () => {
    const { clean, offered, others } = await swept();
    expect({ clean, offered }).toEqual({ clean: true, offered: [] });
    expect(others.map(({ name, standing }) => `${name} ${standing}`)).toEqual([
        "edge--berlin--berlin-n1 in use",
        "edge--berlin--berlin-n2 in use",
        "edge--hub--hub-n1 in use",
        "edge--hub--hub-n2 in use",
    ]);
});

test("nothing that a stack lists is offered where its clusters are grouped", async () => {
    await engine.destroy();
    engine = world.engine();
    program = { ...program, grouped: true };
    expect((await engine.up(program)).failures).toEqual([]);
    const { clean, offered, others } = await swept();
    expect({ clean, offered }).toEqual({ clean: true, offered: [] });
    expect(new Set(others.map(({ standing }) => standing))).toEqual(new Set(["in use"]));
});

test("what has the claim or the mesh id and is in no ledger is offered; labels that prove nothing are not", async () => {
    const { record } = readStack(exported(engine, program), wanted);
    await put("by-claim", { [CLAIM_LABEL]: record.members.hub!.claim });
    await put("by-mesh-id", { [CLAIM_LABEL]: "of-a-former-member", [MESH_ID_LABEL]: record.meshId! });
    await put("of-berlin", { [CLAIM_LABEL]: record.members.berlin!.claim, [MESH_ID_LABEL]: record.meshId! });
    await put("by-name", { [MESH_LABEL]: "edge" });
    const { clean, offered, others } = await swept();
    expect({ clean, offered: offered.map(({ name }) => name) }).toEqual({
        clean: false,
        offered: ["by-claim", "by-mesh-id"],
    });
    expect(others.filter(({ standing }) => standing === "foreign").map(({ name }) => name)).toEqual([
        "by-name",
        "of-berlin",
    ]);
});

test("what a peer set that is being removed still lists is in use", () => {
    const state = JSON.parse(exported(engine, program)) as {
        deployment: { resources: { type: string; delete?: boolean }[] };
    };
    for (const resource of state.deployment.resources) {
        if (resource.type.endsWith(":PeerSet")) resource.delete = true;
    }
    const { record } = readStack(JSON.stringify(state), wanted);
    expect([...record.ledgers.hub!.keys()]).toEqual(["edge--berlin--berlin-n1", "edge--berlin--berlin-n2"]);
});

test("while an update is under way nothing is looked at: what it has just created is not recorded yet", () => {
    const state = JSON.parse(exported(engine, program)) as { deployment: Record<string, unknown> };
    state.deployment.pending_operations = [{ type: "updating", resource: {} }];
    const { record } = readStack(JSON.stringify(state), wanted);
    expect(() => recordedOwner("prod", record)).toThrow("an update of the stack prod is under way, or was cut off");
});
