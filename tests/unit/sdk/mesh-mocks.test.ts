import * as pulumi from "@pulumi/pulumi";
import { ClusterMesh } from "../../../sdk/nodejs";
import { meshMocks, outputValue } from "../../../sdk/nodejs/testing";
import { nodeObject, nodeSpecs } from "../../../tools/clusters/node-spec";

const nodesOf = (name: string, index: number) =>
    nodeSpecs({ name }, 2).map((spec) => nodeObject({ name, index }, spec));
const clusters = ["hub", "berlin"].map((name, index) => ({
    name,
    kubeconfig: `${name}.yaml`,
    podCIDRs: [`10.${16 + index}.0.0/16`],
}));

afterEach(() => pulumi.runtime.disconnect());

test("a mesh plans with recorded nodes, as a list of kubectl or as plain nodes", async () => {
    const mocks = meshMocks({ nodes: { hub: { items: nodesOf("hub", 0) }, berlin: nodesOf("berlin", 1) } });
    await pulumi.runtime.setMocks(mocks, "project", "stack", false);
    const mesh = new ClusterMesh("mocked", { clusters });
    expect(await outputValue(mesh.peers)).toMatchObject({
        hub: { count: 2, names: ["mocked--berlin--berlin-n1", "mocked--berlin--berlin-n2"] },
        berlin: { count: 2 },
    });
    expect(await outputValue(mesh.skippedNodes)).toEqual([]);
    expect(mocks.resources[0]).toMatchObject({ type: "kilo-clustermesh:index:ClusterMesh", name: "mocked" });
});

test("clusters that are recorded in groups plan alike", async () => {
    const mocks = meshMocks({ nodes: { hub: nodesOf("hub", 0), berlin: nodesOf("berlin", 1) } });
    await pulumi.runtime.setMocks(mocks, "project", "stack", false);
    const mesh = new ClusterMesh("mocked", { clusters, grouped: true });
    expect(await outputValue(mesh.peers)).toMatchObject({
        hub: { count: 2, names: ["mocked--berlin--berlin-n1", "mocked--berlin--berlin-n2"] },
        berlin: { count: 2 },
    });
    await pulumi.runtime.disconnect();
    expect(mocks.resources.map(({ name }) => name)).toEqual(["mocked", "mocked", "mocked-members", "mocked-peers"]);
});

test("a program that goes on changing its arguments changes nothing in a mesh that it has made", async () => {
    const mocks = meshMocks({ nodes: { hub: nodesOf("hub", 0), berlin: nodesOf("berlin", 1) } });
    await pulumi.runtime.setMocks(mocks, "project", "stack", false);
    const changing = clusters.map((cluster) => ({ ...cluster, podCIDRs: [...cluster.podCIDRs] }));
    const mesh = new ClusterMesh("settled", { clusters: changing });
    for (const cluster of changing) Object.assign(cluster, { podCIDRs: cluster.podCIDRs.splice(0) });
    changing[0]!.podCIDRs = ["10.99.0.0/16"];
    expect(await outputValue(mesh.skippedNodes)).toEqual([]);
    expect(await outputValue(mesh.peers)).toMatchObject({ hub: { count: 2 }, berlin: { count: 2 } });
});

test("a cluster without recorded nodes has none, and the mesh says so", async () => {
    await pulumi.runtime.setMocks(meshMocks({ nodes: { hub: nodesOf("hub", 0) } }), "project", "stack", false);
    const mesh = new ClusterMesh("half", { clusters });
    expect(await outputValue(mesh.peers)).toMatchObject({ hub: { count: 0 }, berlin: { count: 2 } });
    expect((await outputValue(mesh.issues)).map(({ code }) => code)).toEqual(["ClusterNoNodes"]);
});

test("the user's own mocks answer for everything that is not of the mesh", async () => {
    const mocks = meshMocks({
        mocks: {
            newResource: ({ name, inputs }) => ({ id: `own-${name}`, state: { ...inputs, address: "192.0.2.1" } }),
            call: () => ({ zone: "b" }),
        },
    });
    await pulumi.runtime.setMocks(mocks, "project", "stack", false);
    class Server extends pulumi.CustomResource {
        declare readonly address: pulumi.Output<string>;
        constructor(name: string) {
            super("cloud:index:Server", name, { address: undefined });
        }
    }
    expect(await outputValue(new Server("one").address)).toBe("192.0.2.1");
    expect(await pulumi.runtime.invoke("cloud:index:zone", {})).toEqual({ zone: "b" });
    expect(mocks.resources.map(({ name }) => name)).toEqual(["one"]);
});
