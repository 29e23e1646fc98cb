import { publicKey } from "../../../tools/clusters";
import type { Project } from "../support/project";
import { meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(300_000);

let world: World;
let project: Project;

beforeAll(async () => {
    world = await startWorld(["hub", "berlin"], 2);
});

beforeEach(async () => {
    await world.reset();
    project = await world.project();
    await project.write(meshOf("edge", world.clusters.clusters));
    await up();
});

afterAll(async () => {
    await world?.stop();
});

async function up(): Promise<string> {
    const { code, text } = await project.up();
    if (code !== 0) throw new Error(text);
    return text;
}

const specs = async (cluster: string) =>
    Object.fromEntries((await world.get(cluster).listPeers()).map(({ metadata, spec }) => [metadata.name, spec]));

describe("what changed behind our back", () => {
    test("is named by the preview with how it differs, and repaired by up", async () => {
        const before = await specs("hub");
        await world.get("hub").patchPeer("edge--berlin--berlin-n1", { spec: { allowedIPs: ["10.66.0.0/24"] } });
        await world.get("hub").deletePeer("edge--berlin--berlin-n2");
        const { text } = await project.preview();
        expect(text).toMatch(/\+ +edge--berlin--berlin-n1: "without .*, with 10\.66\.0\.0\/24; will be restored"/);
        expect(text).toMatch(/\+ +edge--berlin--berlin-n2: "missing in the cluster, will be created"/);
        await up();
        expect(await specs("hub")).toEqual(before);
        expect(await up()).toMatch(/7 unchanged/);
    });

    test("labels that were taken away are put back on the same object", async () => {
        const peer = (await world.get("hub").listPeers())[0]!;
        const none = Object.fromEntries(Object.keys(peer.metadata.labels ?? {}).map((label) => [label, null]));
        await world.get("hub").patchPeer(peer.metadata.name, { metadata: { labels: none } });
        expect((await project.preview()).text).toMatch(/\+ unlabelled[^}]*edge--berlin--berlin-n1/);
        await up();
        const after = (await world.get("hub").listPeers())[0]!;
        expect(after.metadata).toMatchObject({ uid: peer.metadata.uid, labels: peer.metadata.labels });
        expect(await up()).toMatch(/7 unchanged/);
    });

    test("a preshared key that someone set is taken out and never printed", async () => {
        const psk = Buffer.alloc(32, 7).toString("base64");
        await world.get("hub").patchPeer("edge--berlin--berlin-n1", { spec: { presharedKey: psk } });
        const { text } = await project.preview();
        expect(text).toContain("edge--berlin--berlin-n1");
        expect(text).not.toContain(psk);
        await up();
        expect((await specs("hub"))["edge--berlin--berlin-n1"]).not.toHaveProperty("presharedKey");
    });

    test("is shown by refresh too, and the next up puts it right", async () => {
        const before = await specs("berlin");
        await world.get("berlin").patchPeer("edge--hub--hub-n1", { spec: { persistentKeepalive: 9 } });
        const { text, code } = await project.refresh();
        expect(code).toBe(0);
        expect(text).toMatch(/edge--hub--hub-n1 is now .*keepalive=9/);
        await up();
        expect(await specs("berlin")).toEqual(before);
        expect(await up()).toMatch(/7 unchanged/);
    });
});

describe("a peer that is not ours", () => {
    const name = "edge--berlin--berlin-n3";

    test("and holds a wanted name is left alone; the skip says so", async () => {
        const foreign = await world.get("hub").createPeer({
            name,
            spec: { publicKey: publicKey("somebody", "else"), allowedIPs: ["10.250.0.0/24"] },
        });
        await world.get("berlin").putNode({ name: "berlin-n3", index: 3 });
        world.expecting({ apart: [["hub", "berlin/berlin-n3"]] });
        const text = await up();
        expect(text).toContain("PeerNameForeign");
        expect((await world.get("hub").listPeers()).find((peer) => peer.metadata.name === name)).toEqual(foreign);
        expect(await project.output("edge")).toMatchObject({
            skippedNodes: [{ cluster: "berlin", node: "berlin-n3", reason: "PeerNameForeign", target: "hub" }],
        });
    });

    test("is adopted with adopt: true when it carries the mesh's labels, and the preview says so", async () => {
        await world.get("berlin").putNode({ name: "berlin-n3", index: 3 });
        const labels = { "kilo-clustermesh.io/mesh": "edge", "kilo-clustermesh.io/source-cluster": "berlin" };
        const operators = await world.get("hub").createPeer({
            name,
            labels,
            spec: {
                publicKey: publicKey("berlin", "berlin-n3"),
                allowedIPs: ["10.17.3.0/24"],
                endpoint: { dnsOrIP: { ip: "198.18.16.3" }, port: 51820 },
            },
        });
        expect(await up()).toContain("PeerNameForeign");
        await project.write(meshOf("edge", world.clusters.clusters, { adopt: true }));
        expect((await project.preview()).text).toMatch(new RegExp(`${name}: "will be taken over"`));
        await up();
        const after = (await world.get("hub").listPeers()).find((peer) => peer.metadata.name === name)!;
        expect(after.metadata.uid).toBe(operators.metadata.uid);
        expect(after.metadata.labels).toHaveProperty(["kilo-clustermesh.io/claim"]);
        expect(await up()).toMatch(/7 unchanged/);
    });
});

describe("two stacks with the same mesh name on the same clusters", () => {
    test("the second is told, and nothing of the first changes", async () => {
        const versions = async () =>
            (await world.get("hub").listPeers()).map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
        const before = await versions();
        const second = await world.project({ stack: "second" });
        await second.write(meshOf("edge", world.clusters.clusters));
        const { text, code } = await second.up();
        expect(code).toBe(0);
        expect(text).toMatch(/PeerNameForeign[\s\S]*organization\/meshes\/test\/edge/);
        expect(await versions()).toEqual(before);
        expect((await second.destroy()).code).toBe(0);
        expect(await versions()).toEqual(before);
    });
});
