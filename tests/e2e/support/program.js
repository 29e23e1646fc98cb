// The program of the end-to-end projects: meshes as `mesh.json` describes them, with values on request as Outputs.
const fs = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const { ClusterMesh } = require("pulumi-kilo-clustermesh");

const { meshes } = JSON.parse(fs.readFileSync("mesh.json", "utf8"));
for (const { name, args, opts } of meshes) {
    const mesh = new ClusterMesh(name, args, opts ?? {});
    exports[name] = pulumi
        .all([mesh.peers, mesh.skippedNodes, mesh.issues, mesh.unreachable])
        .apply(([peers, skippedNodes, issues, unreachable]) => ({ peers, skippedNodes, issues, unreachable }));
}
