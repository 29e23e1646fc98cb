// The mesh that `mesh.json` describes, made by the plugin as for any other language.
const fs = require("node:fs");
const pulumi = require("@pulumi/pulumi");

const { name, args } = JSON.parse(fs.readFileSync("mesh.json", "utf8"));
new pulumi.ComponentResource("kilo-clustermesh:index:ClusterMesh", name, args, {}, true);
