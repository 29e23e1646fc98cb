// The mesh that `mesh.json` describes.
const fs = require("node:fs");
const { ClusterMesh } = require("pulumi-kilo-clustermesh");

const { name, args } = JSON.parse(fs.readFileSync("mesh.json", "utf8"));
new ClusterMesh(name, args);
