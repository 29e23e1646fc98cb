import { writeFile } from "node:fs/promises";
import path from "node:path";
import { devDependencies } from "../../../package.json";
import { nodeRuntime } from "../../../tools/toolchain/node-runtime";
import type { Outcome, Project } from "../support/project";
import { meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(600_000);

/**
 * The oldest Node that we support with the SDK that we are built with, and what users install today. Pinned, so that a
 * release of somebody else breaks no build of ours: raised by hand.
 */
const RUNTIMES = [
    { node: "20.20.2", sdk: devDependencies["@pulumi/pulumi"] },
    { node: "22.23.3", sdk: "3.270.0" },
    { node: "24.21.0", sdk: "3.270.0" },
] as const;

/** The program of the other tests, which also says what it runs on. */
const PROGRAM = `const fs = require("node:fs");
const { ClusterMesh } = require("pulumi-kilo-clustermesh");
const { meshes: [{ name, args }] } = JSON.parse(fs.readFileSync("mesh.json", "utf8"));
const mesh = new ClusterMesh(name, args);
exports[name] = { issues: mesh.issues, node: process.versions.node, sdk: require("@pulumi/pulumi/package.json").version };
`;

let world: World;
let project: Project;

beforeAll(async () => {
    world = await startWorld(["hub", "berlin"], 2);
});
beforeEach(() => world.reset());
afterAll(async () => {
    await world?.stop();
});

function succeeded({ code, text }: Outcome): string {
    if (code !== 0) throw new Error(text);
    return text;
}

test.each(RUNTIMES)("one life of a mesh on Node $node with @pulumi/pulumi $sdk", async ({ node, sdk }) => {
    project = await world.project({ runtime: await nodeRuntime({ node, sdk }) });
    await writeFile(path.join(project.dir, "index.js"), PROGRAM);
    await project.write(meshOf("edge", world.clusters.clusters));

    const first = succeeded(await project.up());
    expect(first).not.toMatch(/warning/i);
    expect(await project.output("edge")).toEqual({ issues: [], node, sdk });
    expect(await world.peers("hub")).toEqual(["edge--berlin--berlin-n1", "edge--berlin--berlin-n2"]);
    expect(succeeded(await project.up())).toMatch(/Resources:\s+7 unchanged/);

    await world.get("berlin").putNode({ name: "berlin-n3" });
    expect(succeeded(await project.preview())).toContain("edge--berlin--berlin-n3");
    succeeded(await project.up());
    expect(await world.peers("hub")).toHaveLength(3);
    expect(succeeded(await project.refresh())).not.toContain("not as it was written");

    succeeded(await project.destroy());
    for (const { name } of world.clusters.clusters) expect(await world.peers(name)).toEqual([]);
    expect(await project.resources()).toEqual([]);
});
