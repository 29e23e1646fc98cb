import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Outcome, Project } from "../support/project";
import { meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(300_000);

let world: World;
let project: Project;

beforeAll(async () => {
    world = await startWorld(["hub", "berlin", "tokyo"], 2);
});

afterAll(async () => {
    await world?.stop();
});

beforeEach(async () => {
    await world.reset();
    project = await world.project({ stack: `s${Date.now()}` });
});

function succeed({ code, text }: Outcome): string {
    if (code !== 0) throw new Error(text);
    return text;
}

const named = (...names: string[]) => names.map((name) => world.get(name));

test("a cluster that leaves one of two meshes keeps the peers of the other", async () => {
    const both = [meshOf("east", named("hub", "berlin")), meshOf("west", named("hub", "tokyo"))];
    await project.write(...both);
    succeed(await project.up());
    expect(await world.peers("hub")).toHaveLength(4);
    await project.write(both[0]!);
    succeed(await project.up());
    expect(await world.peers("hub")).toEqual(["east--berlin--berlin-n1", "east--berlin--berlin-n2"]);
    expect(await world.peers("tokyo")).toEqual([]);
    succeed(await project.destroy());
    expect(await world.peers("hub")).toEqual([]);
});

test("two meshes of one program whose ranges collide are refused before anything is contacted", async () => {
    const clash = { ...world.get("tokyo"), podCIDR: world.get("berlin").podCIDR };
    await project.write(meshOf("east", named("hub", "berlin")), meshOf("west", [world.get("hub"), clash]));
    const { code, text } = await project.up();
    expect(code).not.toBe(0);
    expect(text).toMatch(/10\.17\.0\.0\/16 .*overlaps/);
    expect(await world.peers("hub")).toEqual([]);
});

test("a cluster destroyed in the same up is cleaned first, with the recorded credentials", async () => {
    await writeFile(
        path.join(project.dir, "index.js"),
        `const fs = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const { ClusterMesh } = require("pulumi-kilo-clustermesh");
const provider = {
    create: async ({ text, log }) => ({ id: "made", outs: { text, log, kubeconfig: text } }),
    delete: async (id, { log }) => require("node:fs").appendFileSync(log, "cluster deleted\\n"),
};
class Cluster extends pulumi.dynamic.Resource {
    constructor(name, text) {
        super(provider, name, { text: pulumi.secret(text), log: process.cwd() + "/order.log", kubeconfig: undefined });
    }
}
const { meshes: [{ name, args }] } = JSON.parse(fs.readFileSync("mesh.json", "utf8"));
for (const cluster of args.clusters) cluster.kubeconfig = new Cluster(cluster.name, cluster.kubeconfig).kubeconfig;
new ClusterMesh(name, args);
`,
    );
    await project.write(meshOf("edge", named("hub", "berlin", "tokyo")));
    succeed(await project.up());
    await project.write(meshOf("edge", named("hub", "berlin")));
    const text = succeed(await project.up("--suppress-progress"));
    const order = [...text.matchAll(/(Member|PeerSet|Resource) (edge-tokyo\S*|tokyo) deleted/g)].map(
        ([, type]) => type,
    );
    expect(order).toEqual(["PeerSet", "Member", "Resource"]);
    expect(await world.peers("tokyo")).toEqual([]);
    succeed(await project.destroy());
});

test("destroy works without the program", async () => {
    await project.write(meshOf("edge", named("hub", "berlin")));
    succeed(await project.up());
    await writeFile(path.join(project.dir, "index.js"), "throw new Error('the program must not run')");
    succeed(await project.destroy());
    for (const name of ["hub", "berlin"]) expect(await world.peers(name)).toEqual([]);
});

test("without the package in the project, destroy fails, says what to add, and the state is intact", async () => {
    await project.write(meshOf("edge", named("hub", "berlin")));
    succeed(await project.up());
    await project.unlinkPackage();
    const { code, text } = await project.destroy();
    expect(code).not.toBe(0);
    expect(text).toContain("pulumi-kilo-clustermesh");
    await project.linkPackage();
    succeed(await project.destroy());
    expect(await world.peers("hub")).toEqual([]);
});

test("a protected mesh is not destroyed, and retainOnDelete leaves its peers", async () => {
    const mesh = meshOf("edge", named("hub", "berlin"));
    await project.write({ ...mesh, opts: { protect: true } });
    succeed(await project.up());
    expect((await project.destroy()).code).not.toBe(0);
    expect(await world.peers("hub")).toHaveLength(2);
    await project.write({ ...mesh, opts: { retainOnDelete: true } });
    succeed(await project.up());
    world.expecting({ joined: [["hub", "berlin"]] });
    succeed(await project.destroy());
    const left = await world.peers("hub");
    expect(left).toHaveLength(2);
    for (const cluster of named("hub", "berlin")) {
        for (const { metadata } of await cluster.listPeers()) await cluster.deletePeer(metadata.name);
    }
});

test("a renamed resource with an alias changes nothing", async () => {
    await project.write(meshOf("edge", named("hub", "berlin")));
    succeed(await project.up());
    const before = (await world.get("hub").listPeers()).map(({ metadata }) => metadata.resourceVersion);
    await project.write({
        ...meshOf("mesh", named("hub", "berlin"), { meshName: "edge" }),
        opts: { aliases: [{ name: "edge" }] },
    });
    succeed(await project.up());
    expect((await world.get("hub").listPeers()).map(({ metadata }) => metadata.resourceVersion)).toEqual(before);
    succeed(await project.destroy());
});

test("transforms of a mesh reach its members and peer sets", async () => {
    await writeFile(
        path.join(project.dir, "index.js"),
        `const fs = require("node:fs");
const { ClusterMesh } = require("pulumi-kilo-clustermesh");
const { meshes: [{ name, args }] } = JSON.parse(fs.readFileSync("mesh.json", "utf8"));
const withMoreTime = ({ type, props, opts }) =>
    type.includes("kilo-clustermesh:PeerSet") ? { props: { ...props, requestTimeout: 77 }, opts } : undefined;
new ClusterMesh(name, args, { transforms: [withMoreTime] });
`,
    );
    await project.write(meshOf("edge", named("hub", "berlin")));
    succeed(await project.up());
    const timeouts = (await project.resources())
        .filter(({ type }) => type.includes("kilo-clustermesh:"))
        .map(({ type, inputs }) => `${type.split(":").at(-1)} ${inputs?.requestTimeout ?? "-"}`);
    expect(timeouts.sort()).toEqual(["ClusterMesh -", "Member 5", "Member 5", "Mesh -", "PeerSet 77", "PeerSet 77"]);
    expect(await world.peers("hub")).toHaveLength(2);
    succeed(await project.destroy());
    expect(await world.peers("hub")).toEqual([]);
});

test("location granularity: a moved leader changes the key of its peer in place, under the same name", async () => {
    const tokyo = world.get("tokyo");
    for (const [name, index] of [
        ["tokyo-n1", 1],
        ["tokyo-n2", 2],
    ] as const) {
        await tokyo.putNode({ name, index, granularity: "location", location: "t", leader: name === "tokyo-n1" });
    }
    await project.write(meshOf("edge", named("hub", "tokyo")));
    succeed(await project.up());
    const [before] = await world.get("hub").listPeers();
    expect(before?.metadata.name).toBe("edge--tokyo--location-t");
    expect(before?.spec.allowedIPs).toEqual(expect.arrayContaining(["10.18.1.0/24", "10.18.2.0/24"]));
    await tokyo.patchNodeAnnotations("tokyo-n1", { "kilo.squat.ai/leader": null });
    await tokyo.patchNodeAnnotations("tokyo-n2", { "kilo.squat.ai/leader": "" });
    succeed(await project.up());
    const after = await world.get("hub").listPeers();
    expect(after).toHaveLength(1);
    expect(after[0]?.metadata).toMatchObject({ name: "edge--tokyo--location-t", uid: before?.metadata.uid });
    expect(after[0]?.spec.publicKey).not.toBe(before?.spec.publicKey);
    succeed(await project.destroy());
});
