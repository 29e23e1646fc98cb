import { type Interruptible, UP, withMesh } from "../support/meshed-through-proxies";
import { clusterArgs, meshOf } from "../support/world";

jest.setTimeout(600_000);

let mesh: Interruptible;
withMesh((started) => {
    mesh = started;
}, "plugin");

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

test("a mesh over nodes that another mesh of the program has joined already is refused, and that one keeps its peers", async () => {
    const all = mesh.world.clusters.clusters;
    await mesh.project.write(meshOf("edge", all));
    await mesh.succeed(...UP);
    const before = await mesh.ours();
    await mesh.project.write(meshOf("edge", all), meshOf("core", all));
    const { code, text } = await mesh.project.run(UP);
    expect(text).toMatch(/mesh core: .*would write the same keys/s);
    expect(code).not.toBe(0);
    expect(await mesh.ours()).toEqual(before);
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
