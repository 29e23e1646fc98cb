import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type LocalCluster, type LocalClusters, startClusters } from "../../../tools/clusters";

const FOLDER = join(__dirname, "../../../examples/continuous/watch");
const PATHS: Readonly<Record<string, (namespace: string) => string>> = {
    Namespace: () => "/api/v1/namespaces",
    ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
    ConfigMap: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
    ClusterRole: () => "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    ClusterRoleBinding: () => "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    Role: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
    RoleBinding: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
    Deployment: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
};

interface Manifest {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
}

let set: LocalClusters;
let cluster: LocalCluster;
beforeAll(async () => {
    set = await startClusters({ names: ["platform"] });
    cluster = set.get("platform");
    for (const file of ["alone.yaml", "with-operator.yaml"]) {
        const documents = parseAllDocuments(readFileSync(join(FOLDER, file), "utf8"));
        for (const manifest of documents.map((each) => each.toJS() as Manifest)) {
            const path = PATHS[manifest.kind]!(manifest.metadata.namespace ?? "");
            // A field that the server does not know is a mistake of ours, not one to drop.
            await cluster.request("POST", `${path}?fieldValidation=Strict`, manifest);
        }
    }
});
afterAll(() => set?.stop());

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

test("the server takes every object of both ways, field for field", async () => {
    const { items } = await cluster.request<{ items: Manifest[] }>("GET", PATHS.Deployment!("mesh"));
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(["mesh", "mesh-watch"]);
});

describe("with the operator, the account of the watcher", () => {
    test.each([
        ["sees nodes", { resource: "nodes" }, ["list", "watch"]],
        ["sees peers and writes none", { group: KILO, resource: "peers" }, ["list", "watch"]],
        ["recognizes the cluster", { resource: "namespaces", name: "kube-system" }, ["get"]],
        ["asks for an update of its Stack", { ...STACKS, name: "mesh" }, ["patch"]],
        ["touches no other Stack", { ...STACKS, name: "other" }, []],
        ["touches no Stack of that name elsewhere", { ...STACKS, namespace: "default", name: "mesh" }, []],
        ["reads its kubeconfigs", { resource: "secrets", namespace: "mesh", name: "blue-watch-kubeconfig" }, ["get"]],
        ["does not read those that can write", { resource: "secrets", namespace: "mesh", name: "blue-kubeconfig" }, []],
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
