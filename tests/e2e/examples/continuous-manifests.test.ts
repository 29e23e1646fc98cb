import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { type LocalCluster, type LocalClusters, startClusters } from "../../../tools/clusters";
import { type Toolchain, toolchain } from "../../../tools/toolchain";
import { STACK_CRD } from "../../support/stack-crd";
import { until } from "../support/until";

const FOLDER = join(__dirname, "../../../examples/continuous");
const FILES = ["stack.yaml", "watch/alone.yaml", "watch/with-operator.yaml"];

interface Manifest {
    readonly kind: string;
    readonly metadata: { readonly name: string };
}

let set: LocalClusters;
let cluster: LocalCluster;
let tools: Toolchain;
beforeAll(async () => {
    tools = await toolchain();
    set = await startClusters({ names: ["platform"], tools });
    cluster = set.get("platform");
    await cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", STACK_CRD);
    const served = () =>
        cluster.request("GET", "/apis/pulumi.com/v1/stacks").then(
            () => true,
            () => false,
        );
    await until(served, (is) => is);
    // A dry run of an object does not make the namespace that it lies in.
    await cluster.request("POST", "/api/v1/namespaces", { metadata: { name: "mesh" } });
});
afterAll(() => set?.stop());

/** A field that the server does not know is a mistake of ours, not one to drop: hence strict. */
const apply = async (file: string, ...flags: string[]): Promise<string[]> => {
    const argv = ["apply", "--kubeconfig", cluster.adminKubeconfigFile, "--validate=strict", "--output=name", ...flags];
    const env = { ...process.env, HOME: cluster.adminKubeconfigFile.replace(/[^/]+$/, "") };
    const { stdout } = await promisify(execFile)(tools.kubectl, [...argv, "--filename", join(FOLDER, file)], { env });
    return stdout.trim().split("\n");
};

test.each(FILES)("a real server takes every object of %s, field for field", async (file) => {
    const manifests = parseAllDocuments(readFileSync(join(FOLDER, file), "utf8")).map(
        (each) => each.toJS() as Manifest,
    );
    const named = manifests.map(({ kind, metadata }) =>
        expect.stringMatching(`^${kind.toLowerCase()}.*/${metadata.name}$`),
    );
    expect(await apply(file, "--dry-run=server")).toEqual(named);
});

interface Access {
    readonly verb: string;
    readonly group?: string;
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
}

async function may(account: string, { verb, group = "", resource, namespace, name }: Access): Promise<boolean> {
    const { status } = await cluster.request<{ status: { allowed: boolean } }>(
        "POST",
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        {
            apiVersion: "authorization.k8s.io/v1",
            kind: "SubjectAccessReview",
            spec: {
                user: `system:serviceaccount:mesh:${account}`,
                groups: ["system:serviceaccounts", "system:serviceaccounts:mesh", "system:authenticated"],
                resourceAttributes: { verb, group, resource, namespace, name },
            },
        },
    );
    return status.allowed;
}

const KILO = "kilo.squat.ai";
const STACKS = { group: "pulumi.com", resource: "stacks", namespace: "mesh" };
const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"] as const;
const allowed = async (account: string, access: Omit<Access, "verb">): Promise<string[]> => {
    const found = await Promise.all(VERBS.map((verb) => may(account, { ...access, verb })));
    return VERBS.filter((_, at) => found[at]);
};

describe("the rights of the accounts", () => {
    beforeAll(async () => {
        for (const file of FILES) await apply(file);
    });

    describe("with the operator, the account of the watcher", () => {
        test.each([
            ["sees nodes", { resource: "nodes" }, ["list", "watch"]],
            ["sees peers and writes none", { group: KILO, resource: "peers" }, ["list", "watch"]],
            ["recognizes the cluster", { resource: "namespaces", name: "kube-system" }, ["get"]],
            ["asks for an update of its Stack", { ...STACKS, name: "mesh" }, ["patch"]],
            ["touches no other Stack", { ...STACKS, name: "other" }, []],
            ["touches no Stack of that name elsewhere", { ...STACKS, namespace: "default", name: "mesh" }, []],
            [
                "reads its kubeconfigs",
                { resource: "secrets", namespace: "mesh", name: "blue-watch-kubeconfig" },
                ["get"],
            ],
            [
                "does not read those that can write",
                { resource: "secrets", namespace: "mesh", name: "blue-kubeconfig" },
                [],
            ],
            ["reads no other Secret", { resource: "secrets", namespace: "mesh" }, []],
            ["sees no pods", { resource: "pods", namespace: "mesh" }, []],
            ["sees no other namespace", { resource: "namespaces", name: "default" }, []],
        ] as const)("%s", async (_, access, verbs) => {
            expect(await allowed("mesh-watch", access)).toEqual(verbs);
        });
    });

    describe("alone, the account of the watcher and of the program", () => {
        test.each([
            ["sees nodes", { resource: "nodes" }, ["get", "list", "watch"]],
            [
                "owns peers",
                { group: KILO, resource: "peers" },
                ["get", "list", "watch", "create", "update", "patch", "delete"],
            ],
            ["needs no Stack object", { ...STACKS, name: "mesh" }, []],
            ["reads its kubeconfigs", { resource: "secrets", namespace: "mesh", name: "blue-kubeconfig" }, ["get"]],
            ["reads no other Secret", { resource: "secrets", namespace: "mesh", name: "mesh-passphrase" }, []],
        ] as const)("%s", async (_, access, verbs) => {
            expect(await allowed("mesh", access)).toEqual(verbs);
        });
    });
});
