import { type Interruptible, PEERS, UP, withMesh } from "../support/meshed-through-proxies";
import { expectConverged, expectGone, expectIdle } from "../support/outcomes";
import { clusterArgs, meshOf } from "../support/world";

jest.setTimeout(600_000);

let mesh: Interruptible;
withMesh((started) => {
    mesh = started;
}, "plugin");

/** `cluster/name` → uid and version: any write shows. */
async function versions(): Promise<Record<string, string>> {
    const all: Record<string, string> = {};
    for (const cluster of mesh.world.clusters.clusters) {
        for (const { metadata } of await cluster.listPeers()) {
            all[`${cluster.name}/${metadata.name}`] = `${metadata.uid} ${metadata.resourceVersion}`;
        }
    }
    return all;
}

test("a mesh lives as it does in a TypeScript program: previewed, written, left alone, grown, repaired, refreshed, gone", async () => {
    const { project, proxies, world } = mesh;
    const preview = (await project.preview()).text;
    for (const name of PEERS) expect(preview).toContain(name.slice(name.indexOf("/") + 1));
    expect(await mesh.ours()).toEqual([]);

    await mesh.succeed(...UP);
    expect(await mesh.ours()).toEqual(PEERS);
    const { peers, meshFile } = await project.output("edge");
    expect(meshFile).toContain('"name": "berlin"');
    expect(peers).toEqual({
        hub: { count: 2, names: ["edge--berlin--berlin-n1", "edge--berlin--berlin-n2"] },
        berlin: { count: 2, names: ["edge--hub--hub-n1", "edge--hub--hub-n2"] },
    });

    const before = await versions();
    for (const proxy of proxies.values()) proxy.resetLog();
    await expectIdle(mesh);
    for (const { requests } of proxies.values()) {
        expect(requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
            "GET /api/v1/namespaces/kube-system",
            "GET /api/v1/nodes",
            "GET /apis/kilo.squat.ai/v1alpha1/peers",
        ]);
    }
    expect(await versions()).toEqual(before);

    await world.get("hub").putNode({ name: "hub-n3", index: 3 });
    expect((await project.preview()).text).toContain("edge--hub--hub-n3");
    await mesh.succeed(...UP);
    expect(await mesh.ours()).toEqual([...PEERS, "berlin/edge--hub--hub-n3"].sort());
    await world.get("hub").deleteNode("hub-n3");
    await mesh.succeed(...UP);

    await world.get("berlin").deletePeer("edge--hub--hub-n1");
    expect((await project.refresh()).text).toContain("edge--hub--hub-n1 is missing");
    await expectConverged(mesh);

    const state = await project.stateFile();
    for (const { kubeconfig } of proxies.values()) {
        for (const secret of kubeconfig.match(/[A-Za-z0-9+/=_.-]{40,}/g) ?? []) expect(state).not.toContain(secret);
    }
    await expectGone(mesh);
});

test("one cluster is dead: the others converge with a warning, and its last known nodes keep their peers", async () => {
    await mesh.succeed(...UP);
    await mesh.world.get("berlin").stop();
    mesh.world.expecting({ silent: ["berlin"], apart: [["berlin", "hub/hub-n3"]] });
    await mesh.world.get("hub").putNode({ name: "hub-n3", index: 3 });
    const { text } = await mesh.succeed(...UP);
    expect(text).toContain("unreachable");
    expect(await mesh.world.peers("hub")).toEqual(["edge--berlin--berlin-n1", "edge--berlin--berlin-n2"]);
    await mesh.world.get("berlin").start();
    mesh.world.expecting({});
    await mesh.succeed(...UP);
    expect(await mesh.world.peers("berlin")).toContain("edge--hub--hub-n3");
});

test("a kubeconfig that is not known yet is unknown in the preview, and the rest of it exact", async () => {
    const { project, world } = mesh;
    await project.writeLater({ clusters: ["berlin"], round: 1 }, meshOf("edge", world.clusters.clusters));
    const preview = await project.preview();
    expect(preview.text).toMatch(/berlin\s*: \[unknown\]/);
    expect(preview.code).toBe(0);
    await mesh.succeed(...UP);
    expect(await mesh.ours()).toEqual(PEERS);
});

test("of two meshes of one program that overlap at most one is made", async () => {
    const all = mesh.world.clusters.clusters;
    await mesh.project.write(meshOf("edge", all), meshOf("core", all));
    const { code, text } = await mesh.project.run(UP);
    expect(code).not.toBe(0);
    expect(text).toMatch(/mesh (edge|core): invalid arguments/);
    // where one was known before the other came, that one keeps its peers
    const meshes = new Set((await mesh.ours()).map((name) => name.replace(/^.*\/(\w+)--.*$/, "$1")));
    expect(meshes.size).toBeLessThan(2);
});

test("bad arguments are told with their paths, as in a TypeScript program", async () => {
    const [hub, berlin] = mesh.world.clusters.clusters.map(clusterArgs);
    const clusters = [hub, { ...berlin, podCIDRs: ["10.17.0.1/16"], nodeSelectr: {} }];
    await mesh.project.write({ name: "edge", args: { clusters, requestTimeout: -1 } });
    const told = async (): Promise<string[]> => {
        const { code, text } = await mesh.project.run(UP);
        expect(code).not.toBe(0);
        return [
            ...new Set(
                text
                    .split("\n")
                    .filter((line) => line.trim().startsWith("- "))
                    .map((line) => line.trim()),
            ),
        ];
    };
    const remote = await told();
    mesh.project.host = "dynamic";
    expect(remote).toEqual(await told());
    expect(remote.join("\n")).toContain("clusters[1].podCIDRs[0]");
});

test("a plugin that is missing is an error that names it; the state stays, and it works once it is installed", async () => {
    await mesh.succeed(...UP);
    const state = await mesh.project.resources();
    await mesh.project.removePlugin();
    const { code, text } = await mesh.project.run(UP);
    expect(code).not.toBe(0);
    expect(text).toContain("kilo-clustermesh");
    expect((await mesh.project.resources()).length).toBe(state.length);
    await mesh.project.installPlugin();
    await expectIdle(mesh);
});
