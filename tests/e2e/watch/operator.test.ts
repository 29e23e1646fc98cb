import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { type LocalCluster, type LocalClusters, nodeSpecs, startClusters } from "../../../tools/clusters";
import { kubeconfigText } from "../../../tools/clusters/credentials";
import { STACK_CRD } from "../../support/stack-crd";
import { until } from "../support/until";
import { clusterArgs } from "../support/world";
import { startWatch, type WatchProcess } from "./watcher";

jest.setTimeout(600_000);

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const STACKS = "/apis/pulumi.com/v1/namespaces/mesh/stacks";
const BINDINGS = `${RBAC}/namespaces/mesh/rolebindings`;
const PATHS: Readonly<Record<string, string>> = {
    ServiceAccount: "/api/v1/namespaces/mesh/serviceaccounts",
    ClusterRole: `${RBAC}/clusterroles`,
    ClusterRoleBinding: `${RBAC}/clusterrolebindings`,
    Role: `${RBAC}/namespaces/mesh/roles`,
    RoleBinding: BINDINGS,
};
const REQUEST = "pulumi.com/reconciliation-request";
const WAIT_SECONDS = 120;

interface Manifest {
    readonly kind: string;
    readonly metadata: { readonly name: string };
}

let clusters: LocalClusters;
let platform: LocalCluster;
let directory: string;
let watch: WatchProcess | undefined;

/** The account of the watcher is the one of the example, with its rights and no others. */
beforeAll(async () => {
    clusters = await startClusters({ names: ["platform", "blue"] });
    platform = clusters.get("platform");
    for (const cluster of clusters.clusters) await cluster.putNodes(nodeSpecs(cluster, 2));
    await platform.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", STACK_CRD);
    await platform.request("POST", "/api/v1/namespaces", named("Namespace", "mesh"));
    const file = path.join(__dirname, "../../../examples/continuous/watch/with-operator.yaml");
    for (const document of parseAllDocuments(readFileSync(file, "utf8"))) {
        const manifest = document.toJS() as Manifest;
        const collection = PATHS[manifest.kind];
        if (collection !== undefined) await platform.request("POST", collection, manifest);
    }
    await until(
        () =>
            platform.request("GET", STACKS).then(
                () => true,
                () => false,
            ),
        (served) => served,
        60,
    );
    const { status } = await platform.request<{ status: { token: string } }>(
        "POST",
        `${PATHS.ServiceAccount}/mesh-watch/token`,
        { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 7200 } },
    );
    const ca = Buffer.from(/authority-data: (\S+)/.exec(platform.kubeconfig)?.[1] ?? "", "base64").toString("utf8");
    const kubeconfig = kubeconfigText({ name: "p", url: platform.url, user: "w", ca, token: status.token });
    directory = mkdtempSync(path.join(tmpdir(), "clustermesh-operator-"));
    const members = clusters.clusters.map((cluster) => {
        const text = cluster === platform ? kubeconfig : cluster.kubeconfig;
        writeFileSync(path.join(directory, `${cluster.name}.yaml`), text, { mode: 0o600 });
        return { ...clusterArgs(cluster), kubeconfig: `${cluster.name}.yaml` };
    });
    writeFileSync(path.join(directory, "mesh.yaml"), stringify({ mesh: "fleet", clusters: members }));
});

beforeEach(async () => {
    await platform.request("POST", STACKS, named("Stack", "mesh"));
});

afterEach(async () => {
    if (watch?.child.exitCode === null) await watch.stop();
    await platform.request("DELETE", `${STACKS}/mesh`).catch(() => undefined);
});

afterAll(async () => {
    await clusters?.stop();
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
});

function named(kind: string, name: string): object {
    return { apiVersion: kind === "Stack" ? "pulumi.com/v1" : "v1", kind, metadata: { name } };
}

function start(): WatchProcess {
    watch = startWatch(["--pulumi-stack", "mesh/mesh", "--in", "platform", "--quiet", "0.2"], directory, process.env);
    return watch;
}

async function requested(): Promise<string | undefined> {
    const { metadata } = await platform.request<{ metadata: { annotations?: Record<string, string> } }>(
        "GET",
        `${STACKS}/mesh`,
    );
    return metadata.annotations?.[REQUEST];
}

/** The value of the next request. */
async function nextRequest(before?: string): Promise<string> {
    const value = await until(requested, (found) => found !== undefined && found !== before, WAIT_SECONDS);
    if (value === undefined || value === before) throw new Error(`nothing was asked for: ${watch?.printed()}`);
    return value;
}

/** As the operator does at the end of an update. */
const takeIn = (value: string, state = "succeeded", message = ""): Promise<unknown> =>
    platform.request(
        "PATCH",
        `${STACKS}/mesh/status`,
        { status: { observedReconcileRequest: value, lastUpdate: { state, message, reconcileRequest: value } } },
        "application/merge-patch+json",
    );

const join = (at: number): Promise<void> => platform.putNode(nodeSpecs(platform, at)[at - 1]!);

test("an update is asked for at the start and for a change; what changes during one becomes one more", async () => {
    const following = start();
    const first = await nextRequest();
    // the operator is at work: none of these asks for another one
    for (const at of [3, 4, 5]) {
        await join(at);
        await new Promise((resolve) => setTimeout(resolve, 700));
    }
    expect(await requested()).toBe(first);
    await takeIn(first);
    await following.says(/the run succeeded/, WAIT_SECONDS);
    const second = await nextRequest(first);
    await takeIn(second);
    await following.says(/(the run succeeded[\s\S]*){2}/, WAIT_SECONDS);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await requested()).toBe(second);
    expect(await following.stop()).toBe(0);
});

test("an update that the operator says has failed is logged and asked for again", async () => {
    const following = start();
    const first = await nextRequest();
    await takeIn(first, "failed", "no such branch");
    await following.says(
        /the run failed after[^\n]*the update failed[^\n]*tried again[^\n]*\n[^\n]*no such branch/,
        WAIT_SECONDS,
    );
    await takeIn(await nextRequest(first));
    await following.says(/the run succeeded/, WAIT_SECONDS);
});

test("a Stack that is not there is told with what to do, and asked as soon as it is", async () => {
    await platform.request("DELETE", `${STACKS}/mesh`);
    const following = start();
    await following.says(
        /could not patch stacks.pulumi.com mesh\/mesh: 404[\s\S]*Check that the object exists/,
        WAIT_SECONDS,
    );
    await platform.request("POST", STACKS, named("Stack", "mesh"));
    await takeIn(await nextRequest());
    await following.says(/the run succeeded/, WAIT_SECONDS);
});

test("an account that may not patch the Stack is told which right it lacks, and goes on once it has it", async () => {
    const binding = await platform.request<Record<string, unknown>>("GET", `${BINDINGS}/mesh-watch`);
    await platform.request("DELETE", `${BINDINGS}/mesh-watch`);
    const following = start();
    await following.says(
        /Grant access to this one Stack[^\n]*lacks the verb "patch" on "stacks.pulumi.com" in namespace mesh/,
        WAIT_SECONDS,
    );
    const { apiVersion, kind, roleRef, subjects } = binding;
    await platform.request("POST", BINDINGS, { apiVersion, kind, roleRef, subjects, metadata: { name: "mesh-watch" } });
    await takeIn(await nextRequest());
    await following.says(/the run succeeded/, WAIT_SECONDS);
});
