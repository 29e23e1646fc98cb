// The least that any dynamic resource costs: the engine starts a second process for it, which loads the SDK again.
const pulumi = require("@pulumi/pulumi");

const HANDLER = `exports.handler = () => ({
    check: async (_olds, news) => ({ inputs: news, failures: [] }),
    diff: async () => ({ changes: false }),
    create: async (inputs) => ({ id: "one", outs: inputs }),
});`;

new pulumi.CustomResource("pulumi-nodejs:dynamic/bench:Nothing", "one", { __provider: HANDLER });
