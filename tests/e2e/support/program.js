// The program of the end-to-end projects: meshes as `mesh.json` describes them, with values on request as Outputs.
const fs = require("node:fs");
const pulumi = require("@pulumi/pulumi");

const isPlugin = process.env.MESH_HOST === "plugin";
const OUTPUTS = ["peers", "skippedNodes", "issues", "unreachable", ...(isPlugin ? ["meshFile"] : [])];

/** What a generated SDK does: the plugin makes the component. Here no other language's host is needed for it. */
class RemoteMesh extends pulumi.ComponentResource {
    constructor(name, args, opts) {
        const outputs = Object.fromEntries(OUTPUTS.map((output) => [output, undefined]));
        super("kilo-clustermesh:index:ClusterMesh", name, { ...args, ...outputs }, opts, true);
    }
}

const ClusterMesh = isPlugin ? RemoteMesh : require("pulumi-kilo-clustermesh").ClusterMesh;

const { meshes, later } = JSON.parse(fs.readFileSync("mesh.json", "utf8"));

/** Makes a value known late: unknown in a preview in which it is created or made again, as a cluster's kubeconfig is. */
class Later extends pulumi.dynamic.Resource {
    constructor(name, props) {
        const provider = {
            create: async ({ value }) => ({ id: "later", outs: { result: value } }),
            diff: async (_id, olds, news) => ({
                changes: olds.round !== news.round,
                replaces: olds.round !== news.round ? ["round"] : [],
            }),
        };
        super(provider, name, { result: undefined, ...props });
    }
}

for (const { name, args, opts } of meshes) {
    for (const cluster of args.clusters) {
        if (later?.clusters.includes(cluster.name)) {
            const made = new Later(`${name}-${cluster.name}-made`, { value: cluster.kubeconfig, round: later.round });
            cluster.kubeconfig = made.result;
        }
    }
    const mesh = new ClusterMesh(name, args, opts ?? {});
    exports[name] = pulumi.all(Object.fromEntries(OUTPUTS.map((output) => [output, mesh[output]])));
}
