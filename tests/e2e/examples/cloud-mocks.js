// Runs a compiled example with Pulumi's mocks, as a process of its own, and prints what it registered as JSON.
const path = require("node:path");

const [directory] = process.argv.slice(2);
const pulumi = require(path.join(directory, "node_modules/@pulumi/pulumi"));
const registered = [];
const base64 = (text) => Buffer.from(text).toString("base64");

/** What a cloud says of a resource once it is made. */
const MADE = {
    "kubernetes:core/v1:Secret": (name) => ({ data: { token: base64(`token-of-${name}`), "ca.crt": "Q0E=" } }),
    "eks:index:Cluster": (name) => ({
        kubeconfigJson: `administrator of ${name}`,
        eksCluster: { name, endpoint: `https://${name}.example`, vpcConfig: { clusterSecurityGroupId: `sg-${name}` } },
    }),
    "gcp:container/cluster:Cluster": (name) => ({
        endpoint: `${name}.example`,
        masterAuth: { clusterCaCertificate: "Q0E=" },
    }),
    "azure-native:resources:ResourceGroup": (name) => ({ name }),
    "azure-native:containerservice:ManagedCluster": (name) => ({ name, fqdn: `${name}.example` }),
};

const mocks = {
    call: ({ inputs }) => ({
        id: "vpc-1",
        ids: ["subnet-1", "subnet-2"],
        kubeconfigs: [{ value: base64(`administrator of ${inputs.resourceName}`) }],
    }),
    newResource: ({ type, name, inputs }) => {
        registered.push({ type, name, inputs });
        return { id: `${name}-id`, state: { ...inputs, ...MADE[type]?.(name) } };
    },
};

async function run() {
    await pulumi.runtime.setMocks(mocks, path.basename(directory), "test");
    const program = require(path.join(directory, "bin/index.js"));
    await new Promise((resolve) => program.peers.apply(resolve));
    await pulumi.runtime.disconnect();
    process.stdout.write(JSON.stringify(registered));
}

run().catch((error) => {
    process.stderr.write(String(error?.stack ?? error));
    process.exitCode = 1;
});
