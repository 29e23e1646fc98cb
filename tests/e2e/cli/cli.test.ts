import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stringify } from "yaml";
import type { KubeNode } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { type LocalCluster, type LocalClusters, nodeSpecs, publicKey, startClusters } from "../../../tools/clusters";
import { Command, type Doctor, type JsonResult, type Result, type Status } from "./command";

/** On real API servers with least-privilege accounts. */
const NAMES = ["hub", "berlin", "tokyo"];
const TIMEOUT = 5;

let clusters: LocalClusters;
let directory: string;
let command: Command;

beforeAll(async () => {
    clusters = await startClusters({ names: NAMES });
    directory = mkdtempSync(path.join(tmpdir(), "kilo-cli-e2e-"));
    command = new Command(directory);
    writeFileSync(path.join(directory, "mesh.yaml"), stringify(meshFile((cluster) => cluster.kubeconfigFile)));
});

afterAll(async () => {
    command?.end();
    await clusters?.stop();
    if (directory) rmSync(directory, { recursive: true, force: true });
});

const meshFile = (kubeconfig: (cluster: LocalCluster) => string) => ({
    mesh: "global",
    requestTimeout: TIMEOUT,
    clusters: clusters.clusters.map((cluster) => ({
        name: cluster.name,
        kubeconfig: kubeconfig(cluster),
        podCIDRs: [cluster.podCIDR],
        serviceCIDR: cluster.serviceCIDR,
    })),
});

const kilo = (...args: Parameters<Command["run"]>): Promise<Result> => command.run(...args);
const json = <T>(...argv: readonly string[]): Promise<JsonResult<T>> => command.json<T>(...argv);

/** Everything in the clusters, to prove that looking changed nothing. */
const snapshot = async (): Promise<string> =>
    JSON.stringify(
        await Promise.all(
            clusters.clusters.map(async (cluster) => [
                await cluster.listPeers(),
                (await cluster.request<{ items: unknown[] }>("GET", "/api/v1/nodes")).items,
            ]),
        ),
    );

async function planned() {
    const nodes: Record<string, readonly KubeNode[]> = {};
    for (const cluster of clusters.clusters) {
        nodes[cluster.name] = (await cluster.request<{ items: KubeNode[] }>("GET", "/api/v1/nodes")).items;
    }
    const claims = Object.fromEntries(NAMES.map((name) => [name, `claim-${name}`]));
    return planMesh({ ...meshFile((cluster) => cluster.kubeconfigFile), nodes, claims }).peers;
}

/** Three nodes in each cluster and no peers. */
async function empty(): Promise<void> {
    for (const cluster of clusters.clusters) {
        for (const path of ["/api/v1/nodes", "/apis/kilo.squat.ai/v1alpha1/peers"]) {
            await cluster.request("DELETE", path);
        }
        await cluster.putNodes(nodeSpecs(cluster, 3));
    }
}

/** All planned peers are there, and one tunnel had a handshake. */
async function meshed(): Promise<void> {
    await empty();
    const peers = await planned();
    for (const cluster of clusters.clusters) {
        for (const [name, { labels, spec }] of Object.entries(peers[cluster.name]!)) {
            await cluster.createPeer({ name, labels, spec });
        }
    }
    const seen = { [publicKey("berlin", "berlin-n1")]: { IP: "198.18.16.1", Port: 51820, Zone: "" } };
    const annotations = { "kilo.squat.ai/discovered-endpoints": JSON.stringify(seen) };
    await clusters.get("hub").patchNodeAnnotations("hub-n1", annotations);
}

describe("before anything is there", () => {
    beforeAll(empty);

    test("plan: everything would be created, and nothing is", async () => {
        const before = await snapshot();
        const { code, out, err } = await kilo(["plan"]);
        expect({ code, err }).toEqual({ code: 0, err: "" });
        expect(out).toContain("mesh global: 18 to create, 0 to change, 0 to delete, 0 unchanged. Nothing was written.");
        expect(out).toContain("+ global--berlin--berlin-n1");
        expect(out).not.toContain("\u001b");
        expect(await snapshot()).toBe(before);
    });

    test("status: every peer is missing, and the exit code says so", async () => {
        const { code, report } = await json<Status>("status");
        expect(code).toBe(2);
        expect(report.links.map(({ missing, present }) => ({ missing, present }))).toEqual(
            Array.from({ length: 6 }, () => ({ missing: 3, present: 0 })),
        );
    });
});

describe("a healthy mesh", () => {
    beforeAll(meshed);

    test("status says that it is in place, and knows which tunnel had a handshake", async () => {
        const { code, report } = await json<Status>("status");
        expect(code).toBe(0);
        expect(report).toMatchObject({ inPlace: true, healthy: false });
        expect(report.links.find(({ source, target }) => source === "berlin" && target === "hub")).toMatchObject({
            state: "in place",
            expected: 3,
            present: 3,
            handshakes: 1,
            tunnels: { state: "partly seen", seen: 1, total: 9 },
        });
        const { out } = await kilo(["status"]);
        expect(out).toContain("mesh global: in place · 3 clusters, 6 one-way links, 18 peers, 1 of 54 tunnels seen");
        expect(out).toMatch(/berlin → hub +in place +3\/3 +0 +0 +0 +partly seen 1\/9/);
    });

    test("doctor finds the nodes without a handshake and no problem else: the least-privilege account may do all that is needed", async () => {
        const { code, report } = await json<Doctor>("doctor");
        expect(report.findings.map(({ code: found }) => found)).toEqual([
            "SlowAfterChanges",
            "TunnelsNotSeen",
            "SlowAfterChanges",
            "SlowAfterChanges",
            "MtuNotVisible",
            "VersionNotVisible",
        ]);
        expect(report.clusters.map(({ passed }) => passed.length)).toEqual([14, 15, 15]);
        expect(code).toBe(0);
    });

    test("plan has nothing to do", async () => {
        const { code, out } = await kilo(["plan"]);
        expect(code).toBe(0);
        expect(out).toContain("0 to create, 0 to change, 0 to delete, 18 unchanged");
    });

    test("graph draws it in every format", async () => {
        expect((await kilo(["graph"])).out).toMatch(/^flowchart LR\n {4}c0\["berlin/);
        expect((await kilo(["graph", "--format", "dot"])).out).toContain('c0 [label="hub\\n3 nodes · full\\n6 peers"');
        expect((await kilo(["graph", "--format", "svg"])).out).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    });

    test("a reader that leaves early is no failure", async () => {
        const { err, signal } = await kilo(["plan", "--all"], (child) => child.stdout?.destroy());
        expect({ err, signal }).toEqual({ err: "", signal: null });
    });

    test("no content of a kubeconfig is printed by any command", async () => {
        writeFileSync(path.join(directory, "inline.yaml"), stringify(meshFile((cluster) => cluster.kubeconfig)));
        const secrets = clusters.clusters.map(({ kubeconfig }) => /token: "?([^"\n]+)/.exec(kubeconfig)![1]!);
        for (const command of ["plan", "status", "doctor", "graph"]) {
            const { code, out, err } = await kilo([command, "-f", "inline.yaml"]);
            expect(code).toBe(0);
            for (const secret of secrets) expect(out + err).not.toContain(secret);
        }
    });
});

describe("drift", () => {
    beforeAll(async () => {
        await meshed();
        const hub = clusters.get("hub");
        await hub.patchPeer("global--berlin--berlin-n1", {
            spec: { allowedIPs: ["10.17.1.0/24"], persistentKeepalive: 5 },
        });
        await hub.deletePeer("global--tokyo--tokyo-n2");
    });

    test("status names it, link by link", async () => {
        const { code, report } = await json<Status>("status");
        expect(code).toBe(2);
        const wrong = report.links.filter(({ state }) => state !== "in place");
        expect(wrong).toMatchObject([
            { source: "berlin", target: "hub", state: "degraded", drifted: 1, missing: 0 },
            { source: "tokyo", target: "hub", state: "degraded", drifted: 0, missing: 1 },
        ]);
        expect(report.peers.filter(({ state }) => state === "drifted" || state === "missing")).toMatchObject([
            { name: "global--berlin--berlin-n1", state: "drifted" },
            { name: "global--tokyo--tokyo-n2", state: "missing" },
        ]);
    });

    test("doctor warns, and says what to run next; with --strict it fails", async () => {
        const { code, report } = await json<Doctor>("doctor");
        expect(code).toBe(0);
        expect(report.findings.find((found) => found.code !== "SlowAfterChanges")).toMatchObject({
            code: "PeersNotAsPlanned",
            cluster: "hub",
            next: "npx kilo-clustermesh plan --target hub",
        });
        expect((await kilo(["doctor", "--strict"])).code).toBe(2);
    });

    test("what it says to run next says what would be done", async () => {
        const { out } = await kilo(["plan", "--target", "hub"]);
        expect(out).toContain("1 to create, 1 to change, 0 to delete, 4 unchanged");
        expect(out).toMatch(/~ global--berlin--berlin-n1\n {6}now .*keepalive=5 10\.17\.1\.0\/24\n {6}plan /);
    });
});

describe("a forged node", () => {
    beforeAll(async () => {
        await meshed();
        const forged = {
            name: "berlin-n9",
            lastSeen: null,
            podCIDRs: ["10.16.1.0/24"],
            key: publicKey("tokyo", "tokyo-n1"),
        };
        await clusters.get("berlin").putNode(forged);
    });

    test("status leaves it out and says why", async () => {
        const { code, report } = await json<Status>("status");
        expect(code).toBe(2);
        expect(report.skipped).toContainEqual(
            expect.objectContaining({ node: "berlin-n9", reason: "NodePodCIDROutOfRange" }),
        );
        const between = report.links.filter(({ source, target }) => source !== "berlin" && target !== "berlin");
        expect(between.map(({ state }) => state)).toEqual(["in place", "in place"]);
    });

    test("doctor points at the node", async () => {
        const { code, report } = await json<Doctor>("doctor");
        expect(code).toBe(2);
        const found = report.findings.find(({ code: each }) => each === "NodePodCIDROutOfRange");
        expect(found).toMatchObject({ cluster: "berlin", node: "berlin-n9" });
        expect(found?.next).toContain("get node berlin-n9");
    });
});

describe("an account that lacks a verb", () => {
    const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/kilo-clustermesh";
    const verbs = (...allowed: readonly string[]) =>
        clusters.get("berlin").request(
            "PATCH",
            role,
            {
                rules: [
                    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list"] },
                    { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
                    { apiGroups: ["kilo.squat.ai"], resources: ["peers"], verbs: allowed },
                ],
            },
            "application/merge-patch+json",
        );
    beforeAll(meshed);
    afterAll(() => verbs("get", "list", "create", "update", "patch", "delete"));

    test("doctor names the verb before any up fails on it", async () => {
        await verbs("get", "list", "create");
        // The authorizer learns of a changed role a moment later.
        for (;;) {
            const { code, report } = await json<Doctor>("doctor");
            const missing = report.findings.filter((finding) => finding.code === "PermissionMissing");
            if (missing.length < 2) continue;
            expect(missing.map(({ cluster, what }) => `${cluster}: ${what}`)).toEqual([
                "berlin: the account may not patch peers.kilo.squat.ai",
                "berlin: the account may not delete peers.kilo.squat.ai",
            ]);
            expect(code).toBe(2);
            return;
        }
    });
});

describe("a dead cluster", () => {
    beforeAll(async () => {
        await meshed();
        clusters.get("tokyo").suspend();
    });
    afterAll(() => clusters.get("tokyo").resume());

    test("status shows it as silent, the others as they are, and tells while it waits", async () => {
        const { code, out, err } = await kilo(["status"]);
        expect(code).toBe(2);
        expect(out).toContain("mesh global: degraded · 1 of 3 clusters silent");
        expect(out).toMatch(/berlin → hub +in place/);
        expect(out).toMatch(/tokyo → hub +unknown +3\/\?/);
        expect(out).toContain("cluster tokyo is unreachable: could not list");
        expect(err).toContain("2 of 3 clusters read, waiting for tokyo");
    });

    test("plan keeps its peers instead of deleting them", async () => {
        const { code, out } = await kilo(["plan", "--timeout", "2"]);
        expect(code).toBe(2);
        expect(out).toContain("0 to create, 0 to change, 0 to delete, 6 unchanged, 6 kept, 6 unknown");
    });

    test("doctor tells it and checks the others all the same", async () => {
        const { code, report } = await json<Doctor>("doctor", "--timeout", "2");
        expect(code).toBe(2);
        expect(report.findings).toContainEqual(expect.objectContaining({ code: "Unreachable", cluster: "tokyo" }));
        expect(report.clusters.map(({ passed }) => passed.length)).toEqual([14, 15, 0]);
    });

    test("^C while it waits ends it at once, with the exit code of an interrupt", async () => {
        const { code } = await kilo(["status", "--timeout", "600"], (child) =>
            child.stderr?.once("data", () => child.kill("SIGINT")),
        );
        expect(code).toBe(130);
    });
});
