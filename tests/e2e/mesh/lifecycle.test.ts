import { publicKey } from "../../../tools/clusters";
import { startFaultProxy } from "../../support/fault-proxy";
import type { Project } from "../support/project";
import { meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(300_000);

const MEMBERS = ["hub", "berlin", "tokyo"];

let world: World;
let project: Project;

const members = () => MEMBERS.map((name) => world.get(name));

beforeAll(async () => {
    world = await startWorld(MEMBERS);
});

beforeEach(async () => {
    await world.reset();
    project = await world.project();
    await project.write(meshOf("edge", members()));
});

afterAll(async () => {
    await world?.stop();
});

/** What the API servers hold, as name → resourceVersion: any write shows. */
async function versions(): Promise<Record<string, string>> {
    const all: Record<string, string> = {};
    for (const cluster of world.clusters.clusters) {
        for (const { metadata } of await cluster.listPeers()) {
            all[`${cluster.name}/${metadata.name}`] = `${metadata.uid} ${metadata.resourceVersion}`;
        }
    }
    return all;
}

/** Which peers an operation created, changed and deleted. */
async function changesOf(
    operation: () => Promise<unknown>,
): Promise<Record<"created" | "changed" | "deleted", string[]>> {
    const before = await versions();
    await operation();
    const after = await versions();
    return {
        created: Object.keys(after).filter((name) => !(name in before)),
        changed: Object.keys(after).filter((name) => name in before && before[name] !== after[name]),
        deleted: Object.keys(before).filter((name) => !(name in after)),
    };
}

async function up(): Promise<void> {
    const { code, text } = await project.up();
    if (code !== 0) throw new Error(text);
}

test("the first preview names every peer, and the first up writes them", async () => {
    const preview = await project.preview();
    expect(preview.text).toContain("edge--hub--hub-n1");
    expect(await versions()).toEqual({});
    await up();
    expect(await world.peers("hub")).toEqual(
        ["berlin", "tokyo"].flatMap((name) => [1, 2, 3].map((n) => `edge--${name}--${name}-n${n}`)),
    );
    const [first] = await world.get("hub").listPeers();
    expect(first?.spec).toEqual({
        publicKey: publicKey("berlin", "berlin-n1"),
        endpoint: { dnsOrIP: { ip: "198.18.16.1" }, port: 51820 },
        allowedIPs: expect.arrayContaining(["10.17.1.0/24", "100.65.0.1/32", "172.16.16.0/20"]),
    });
    expect(first?.metadata.annotations?.["kilo-clustermesh.io/owner"]).toBe("organization/meshes/test/edge");
});

test("a second up says unchanged, makes two lists and one get per cluster and writes nothing", async () => {
    const proxies = await Promise.all(members().map(({ kubeconfig }) => startFaultProxy({ kubeconfig })));
    try {
        const counted = members().map((cluster, at) => ({
            ...cluster,
            kubeconfig: proxies[at]!.kubeconfig,
        }));
        await project.write(meshOf("edge", counted));
        await up();
        const before = await versions();
        for (const proxy of proxies) proxy.resetLog();
        const { text, code } = await project.up();
        expect(code).toBe(0);
        expect(text).toMatch(/Resources:\s+9 unchanged/);
        for (const { requests } of proxies) {
            expect(requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
                "GET /api/v1/namespaces/kube-system",
                "GET /api/v1/nodes",
                "GET /apis/kilo.squat.ai/v1alpha1/peers",
            ]);
        }
        expect(await versions()).toEqual(before);
    } finally {
        await Promise.all(proxies.map((proxy) => proxy.close()));
    }
});

test("a new node gets a peer in every other cluster, named by the preview, and nothing else is written", async () => {
    await up();
    await world.get("tokyo").putNode({ name: "tokyo-n4", index: 4 });
    const { text } = await project.preview();
    expect(text).toContain("edge--tokyo--tokyo-n4");
    expect(await changesOf(up)).toEqual({
        created: ["hub/edge--tokyo--tokyo-n4", "berlin/edge--tokyo--tokyo-n4"],
        changed: [],
        deleted: [],
    });
});

test("a removed node loses its peers, and nothing else is written", async () => {
    await up();
    await world.get("tokyo").deleteNode("tokyo-n3");
    expect((await project.preview()).text).toMatch(/- {1,}edge--tokyo--tokyo-n3/);
    expect(await changesOf(up)).toEqual({
        created: [],
        changed: [],
        deleted: ["hub/edge--tokyo--tokyo-n3", "berlin/edge--tokyo--tokyo-n3"],
    });
});

test("a changed key changes the peers of that node in place", async () => {
    await up();
    await world.get("berlin").putNode({ name: "berlin-n2", index: 2, key: publicKey("berlin", "another") });
    expect((await project.preview()).text).toContain(publicKey("berlin", "another"));
    expect(await changesOf(up)).toEqual({
        created: [],
        changed: ["hub/edge--berlin--berlin-n2", "tokyo/edge--berlin--berlin-n2"],
        deleted: [],
    });
});

test("a changed endpoint changes the peers of that node", async () => {
    await up();
    await world.get("berlin").patchNodeAnnotations("berlin-n3", { "kilo.squat.ai/force-endpoint": "203.0.113.7:4500" });
    expect((await project.preview()).text).toContain("203.0.113.7:4500");
    expect(await changesOf(up)).toEqual({
        created: [],
        changed: ["hub/edge--berlin--berlin-n3", "tokyo/edge--berlin--berlin-n3"],
        deleted: [],
    });
});

test("an endpoint that a target observed is adopted there alone, and losing the observation changes nothing", async () => {
    await up();
    const seen = JSON.stringify({ [publicKey("tokyo", "tokyo-n1")]: { IP: "203.0.113.99", Port: 40123, Zone: "" } });
    await world.get("hub").patchNodeAnnotations("hub-n1", { "kilo.squat.ai/discovered-endpoints": seen });
    expect((await project.preview()).text).toContain("203.0.113.99:40123");
    const nothing = { created: [], changed: [], deleted: [] };
    world.expecting({ forwards: { "203.0.113.99:40123": { cluster: "tokyo", node: "tokyo-n1" } } });
    expect(await changesOf(up)).toEqual({ ...nothing, changed: ["hub/edge--tokyo--tokyo-n1"] });
    await world.get("hub").patchNodeAnnotations("hub-n1", { "kilo.squat.ai/discovered-endpoints": "{}" });
    expect(await changesOf(up)).toEqual(nothing);
});

test("a cluster that joins gets all peers and everyone gets its peers", async () => {
    await up();
    const oslo = await world.clusters.add("oslo");
    await oslo.putNode({ name: "oslo-n1", index: 1 });
    await project.write(meshOf("edge", [...members(), oslo]));
    expect((await project.preview()).text).toContain("edge--oslo--oslo-n1");
    const { created, changed, deleted } = await changesOf(up);
    expect({ changed, deleted }).toEqual({ changed: [], deleted: [] });
    expect(created.filter((name) => !name.startsWith("oslo/"))).toEqual([
        "hub/edge--oslo--oslo-n1",
        "berlin/edge--oslo--oslo-n1",
        "tokyo/edge--oslo--oslo-n1",
    ]);
    expect(created.filter((name) => name.startsWith("oslo/"))).toHaveLength(9);
});

test("a cluster that leaves takes its peers with it everywhere, and the mesh keeps the rest", async () => {
    await up();
    await project.write(meshOf("edge", [world.get("hub"), world.get("berlin")]));
    const { created, changed, deleted } = await changesOf(up);
    expect({ created, changed }).toEqual({ created: [], changed: [] });
    expect(deleted).toHaveLength(2 * 3 + 6);
    expect(await world.peers("tokyo")).toEqual([]);
});

test("a renamed mesh renames every peer", async () => {
    await up();
    await project.write(meshOf("edge", members(), { meshName: "renamed" }));
    // All pairs of nodes of different clusters, both ways: a name cannot be changed in place.
    world.expecting({ interrupted: 3 * 3 * 6 });
    await up();
    for (const name of ["hub", "berlin", "tokyo"]) {
        const names = await world.peers(name);
        expect(names).toHaveLength(6);
        expect(names.every((peer) => peer.startsWith("renamed--"))).toBe(true);
    }
});

test("destroy leaves nothing of ours and every foreign peer byte for byte as it was", async () => {
    await up();
    const foreign = await world.get("hub").createPeer({
        name: "road-warrior",
        spec: { publicKey: publicKey("somebody", "else"), allowedIPs: ["10.250.0.1/32"], persistentKeepalive: 25 },
    });
    const { code, text } = await project.destroy();
    expect(text).toContain("9 deleted");
    expect(code).toBe(0);
    expect(await world.get("hub").listPeers()).toEqual([foreign]);
    for (const name of ["berlin", "tokyo"]) expect(await world.peers(name)).toEqual([]);
});
