import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { dependencies, devDependencies } from "../../../package.json";
import { defaultContext } from "../../../tools/toolchain/context";
import { npmPackages } from "../../../tools/toolchain/npm-packages";

jest.setTimeout(600_000);

/**
 * The examples that make clusters need a cloud. Here they are compiled with the clouds' own packages, which are too large
 * to be dependencies of this repository and are kept in the cache of the tools, and run with Pulumi's mocks.
 */
const PROVIDERS = {
    "@pulumi/aws": "7.48.0",
    "@pulumi/azure-native": "3.28.0",
    "@pulumi/eks": "4.3.0",
    "@pulumi/gcp": "9.37.0",
    "@pulumi/kubernetes": devDependencies["@pulumi/kubernetes"],
    "@pulumi/pulumi": devDependencies["@pulumi/pulumi"],
};

const ROOT = path.resolve(__dirname, "../../..");
const run = promisify(execFile);

interface Registered {
    readonly type: string;
    readonly name: string;
    readonly inputs: Readonly<Record<string, unknown>>;
}

let modules: string;
let directory: string;

beforeAll(async () => {
    modules = await npmPackages(defaultContext({}), "the providers of three clouds", { ...PROVIDERS, ...dependencies });
    directory = mkdtempSync(path.join(tmpdir(), "clouds-"));
});
afterAll(() => {
    if (directory) rmSync(directory, { recursive: true, force: true });
});

/** A copy of the example with its packages as npm would install them: our own as a copy, beside one SDK. */
function install(example: string): string {
    const copy = path.join(directory, example);
    cpSync(path.join(ROOT, "examples", example), copy, { recursive: true });
    const installed = path.join(copy, "node_modules");
    mkdirSync(path.join(installed, "@types"), { recursive: true });
    symlinkSync(path.join(ROOT, "node_modules/@types/node"), path.join(installed, "@types/node"));
    for (const name of readdirSync(modules).filter((each) => !each.startsWith(".") && each !== "@types")) {
        symlinkSync(path.join(modules, name), path.join(installed, name));
    }
    for (const part of ["package.json", "dist"]) {
        cpSync(path.join(ROOT, part), path.join(installed, "pulumi-kilo-clustermesh", part), { recursive: true });
    }
    return copy;
}

/** Fails where the types do. */
async function registeredBy(example: string): Promise<readonly Registered[]> {
    const copy = install(example);
    const options = { cwd: copy, maxBuffer: 1 << 26 };
    await run(process.execPath, [path.join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "."], options).catch(
        (error: { readonly stdout: string }) => {
            throw new Error(error.stdout);
        },
    );
    const { stdout } = await run(process.execPath, [path.join(__dirname, "cloud-mocks.js"), copy], options);
    return JSON.parse(stdout) as readonly Registered[];
}

const rules = (): unknown => {
    const documents = parseAllDocuments(readFileSync(path.join(ROOT, "docs/rbac.yaml"), "utf8"));
    const objects = documents.map((each) => each.toJS() as { readonly kind: string; readonly rules?: unknown });
    return objects.find(({ kind }) => kind === "ClusterRole")?.rules;
};

const CLOUDS = [
    {
        example: "eks",
        clusters: ["frankfurt", "virginia"],
        servers: ["https://frankfurt.example", "https://virginia.example"],
        nodes: "aws:eks/nodeGroup:NodeGroup",
        cni: true,
    },
    {
        example: "gke",
        clusters: ["belgium", "iowa"],
        servers: ["https://belgium.example", "https://iowa.example"],
        nodes: "gcp:container/nodePool:NodePool",
        cni: false,
    },
    {
        example: "aks",
        clusters: ["netherlands", "texas"],
        servers: ["https://netherlands.example:443", "https://texas.example:443"],
        nodes: "azure-native:containerservice:ManagedCluster",
        cni: true,
    },
] as const;

describe.each(CLOUDS)("$example", ({ example, clusters, servers, nodes, cni }) => {
    let registered: readonly Registered[];
    beforeAll(async () => {
        registered = await registeredBy(example);
    });
    const all = (type: string): readonly Registered[] => registered.filter((each) => each.type === type);
    const first = (type: string): number => registered.findIndex((each) => each.type === type);
    const last = (type: string): number => registered.findLastIndex((each) => each.type === type);
    const MEMBER = "pulumi-nodejs:dynamic/kilo-clustermesh:Member";

    test("nodes and Kilo of all clusters are made before the mesh looks at any, in one up", () => {
        for (const type of [nodes, "kubernetes:apps/v1:DaemonSet", "kubernetes:yaml/v2:ConfigFile"]) {
            expect(all(type)).toHaveLength(2);
            expect(last(type)).toBeLessThan(first("kilo-clustermesh:index:ClusterMesh"));
        }
        // EKS waits until its nodes are ready, and without a CNI they are not
        const network = last("kubernetes:apps/v1:DaemonSet");
        if (example === "eks") expect(network).toBeLessThan(first(nodes));
        expect(all(MEMBER).map(({ name }) => name)).toEqual(clusters.map((name) => `${example}-${name}`));
    });

    test("the mesh gets kubeconfigs of least-privilege accounts, and never an administrator's", () => {
        all(MEMBER).forEach(({ inputs }, at) => {
            const { value } = inputs.kubeconfig as { readonly value: string };
            expect(JSON.parse(value)).toMatchObject({
                clusters: [{ cluster: { server: servers[at], "certificate-authority-data": "Q0E=" } }],
                users: [{ user: { token: `token-of-${clusters[at]}` } }],
            });
            expect(JSON.stringify(inputs)).not.toContain("administrator");
        });
        const roles = all("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole").filter(({ name }) =>
            /-mesh$/.test(name),
        );
        expect(roles).toHaveLength(2);
        for (const { inputs } of roles) expect(inputs.rules).toEqual(rules());
    });

    test("Kilo has a WireGuard network of its own in each cluster, and is the CNI exactly where the cloud has none", () => {
        const args = all("kubernetes:apps/v1:DaemonSet").map(({ inputs }) => {
            const { template } = inputs.spec as { template: { spec: { containers: { args: string[] }[] } } };
            return template.spec.containers[0]!.args;
        });
        expect(new Set(args.map((each) => each.find((arg) => arg.startsWith("--subnet=")))).size).toBe(2);
        for (const each of args) expect(each).toContain(`--cni=${cni}`);
        expect(all("kubernetes:apps/v1:Deployment")).toHaveLength(cni ? 2 : 0);
    });
});
