import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { parse } from "yaml";
import { type LocalCluster, type LocalClusters, nodeSpecs, publicKey, startClusters } from "../../../tools/clusters";
import { type ApiClient, ApiError, apiClient } from "../../../tools/clusters/api-client";
import { attachClusters, endClusters } from "../../../tools/clusters/attach";
import { freePort } from "../../../tools/clusters/ports";
import { findRecord, registryDirectory } from "../../../tools/clusters/registry";
import { identify, isAlive } from "../../../tools/process/identity";

const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";
const SPEC = { allowedIPs: ["10.99.0.0/24"], publicKey: publicKey("x", "y") };

let set: LocalClusters;
beforeAll(async () => {
    set = await startClusters({ names: ["alpha", "beta"] });
});
afterAll(() => set?.stop());

/** Who this kubeconfig lets in, as a client. */
function clientOf(kubeconfig: string): ApiClient {
    const { clusters, users } = parse(kubeconfig) as {
        clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
        users: { user: { token: string } }[];
    };
    const { server, "certificate-authority-data": ca } = clusters[0]!.cluster;
    return apiClient({ url: server, ca: Buffer.from(ca, "base64").toString(), token: users[0]!.user.token });
}
const status = (attempt: Promise<unknown>) =>
    attempt.then(
        () => 200,
        (error: unknown) => (error instanceof ApiError ? error.status : error),
    );

describe("two clusters over one etcd", () => {
    test("have ranges that can be meshed and data of their own", async () => {
        const [alpha, beta] = [set.get("alpha"), set.get("beta")];
        expect(alpha.podCIDR).not.toBe(beta.podCIDR);
        await alpha.createPeer({ name: "only-here", spec: SPEC });
        expect((await alpha.listPeers()).map(({ metadata }) => metadata.name)).toContain("only-here");
        expect(await beta.listPeers()).toEqual([]);
        await alpha.deletePeer("only-here");
    });

    test("a certificate that is not theirs is refused", async () => {
        const [alpha, beta] = [set.get("alpha"), set.get("beta")];
        const wrong = apiClient({ url: alpha.url, ca: readFileSync(beta.caFile, "utf8"), token: "any" });
        await expect(wrong.request("GET", PEERS)).rejects.toThrow(/certificate/i);
        await wrong.close();
    });

    test("kubeconfigs are readable by their owner only", () => {
        for (const { adminKubeconfigFile, kubeconfigFile } of set.clusters) {
            expect(statSync(adminKubeconfigFile).mode & 0o077).toBe(0);
            expect(statSync(kubeconfigFile).mode & 0o077).toBe(0);
        }
    });

    test("an unknown name is answered with the known ones", () => {
        expect(() => set.get("gamma")).toThrow("There is no local cluster gamma; there are alpha, beta");
    });
});

test("nodes check in as Kilo's agents do, after whoever started the clusters is gone too, and until they end", async () => {
    const own = await startClusters({ names: ["solo"], checkInSeconds: 1 });
    const { supervisor } = findRecord(registryDirectory(), own.directory)!;
    await own.get("solo").putNodes([{ name: "n1" }, { name: "n2", key: null, lastSeen: 1 }]);
    await own.keep();
    const { clusters, close } = attachClusters(own.directory)!;
    const lastSeen = async (node: string): Promise<number> => {
        const { metadata } = await clusters[0]!.request<{ metadata: { annotations: Record<string, string> } }>(
            "GET",
            `/api/v1/nodes/${node}`,
        );
        return Number(metadata.annotations["kilo.squat.ai/last-seen"]);
    };
    const changed = async (from: number): Promise<number> => {
        for (let round = 0; round < 600; round++) {
            const now = await lastSeen("n1");
            if (now !== from) return now;
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
        throw new Error("nobody checked in");
    };
    const first = await changed(await lastSeen("n1"));
    expect(await changed(first)).toBeGreaterThan(first);
    expect(await lastSeen("n2")).toBe(1);
    await close();
    await endClusters(own.directory);
    expect(isAlive(supervisor)).toBe(false);
});

describe("the permissions of docs/rbac.yaml", () => {
    let client: ApiClient;
    beforeAll(() => {
        client = clientOf(set.get("alpha").kubeconfig);
    });
    afterAll(() => client.close());

    test("are enough to read nodes and to own peers", async () => {
        await set.get("alpha").putNode({ name: "n1" });
        const peer = { apiVersion: "kilo.squat.ai/v1alpha1", kind: "Peer", metadata: { name: "mine" }, spec: SPEC };
        const merge = "application/merge-patch+json";
        expect(await status(client.request("GET", "/api/v1/nodes?limit=1"))).toBe(200);
        expect(await status(client.request("GET", "/api/v1/nodes/n1"))).toBe(200);
        expect(await status(client.request("POST", PEERS, peer))).toBe(200);
        expect(await status(client.request("GET", PEERS))).toBe(200);
        expect(
            await status(client.request("PATCH", `${PEERS}/mine`, { spec: { persistentKeepalive: 5 } }, merge)),
        ).toBe(200);
        expect(await status(client.request("DELETE", `${PEERS}/mine`))).toBe(200);
    });

    test.each([
        ["GET", "/api/v1/secrets"],
        ["GET", "/api/v1/namespaces/kilo-clustermesh/secrets"],
        ["GET", "/api/v1/pods"],
        ["DELETE", "/api/v1/nodes/n1"],
        ["DELETE", PEERS],
        ["GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"],
        ["GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
    ] as const)("do not allow %s %s", async (method, path) => {
        expect(await status(client.request(method, path))).toBe(403);
    });

    test("nobody gets in without a token", async () => {
        const { url, caFile } = set.get("alpha");
        const stranger = apiClient({ url, ca: readFileSync(caFile, "utf8"), token: "guess" });
        expect(await status(stranger.request("GET", PEERS))).toBe(401);
        await stranger.close();
    });
});

describe("Kilo's Peer kind", () => {
    test("keeps what it knows and drops the rest", async () => {
        const alpha = set.get("alpha");
        const spec = {
            ...SPEC,
            endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
            persistentKeepalive: 25,
            presharedKey: "cHNr",
        };
        const created = await alpha.createPeer({ name: "full", spec: { ...spec, unknown: true } as typeof spec });
        expect(created.spec).toEqual(spec);
        await alpha.deletePeer("full");
    });

    test.each([
        ["no key", { allowedIPs: [] }],
        ["no networks", { publicKey: "x" }],
        ["an endpoint without a port", { ...SPEC, endpoint: { dnsOrIP: { ip: "192.0.2.1" } } }],
        ["networks that are no list", { ...SPEC, allowedIPs: "10.0.0.0/8" }],
    ])("refuses %s", async (_, spec) => {
        const body = { apiVersion: "kilo.squat.ai/v1alpha1", kind: "Peer", metadata: { name: "bad" }, spec };
        expect(await status(set.get("alpha").request("POST", PEERS, body))).toBe(422);
    });
});

describe("nodes made to order", () => {
    interface LiveNode {
        readonly metadata: { readonly uid: string; readonly annotations: Record<string, string> };
        readonly spec: { readonly podCIDR: string };
        readonly status: { readonly addresses: { readonly type: string; readonly address: string }[] };
    }
    const read = (name: string) => set.get("beta").request<LiveNode>("GET", `/api/v1/nodes/${name}`);

    test("can be made by the hundred", async () => {
        const beta = set.get("beta");
        await beta.putNodes(nodeSpecs(beta, 300));
        const { items } = await beta.request<{ items: unknown[] }>("GET", "/api/v1/nodes");
        expect(items.length).toBeGreaterThanOrEqual(300);
    });

    test("change in place, addresses too, and are replaced only for another pod range", async () => {
        const beta = set.get("beta");
        await beta.putNode({ name: "x9" });
        const before = await read("x9");
        await beta.putNode({ name: "x9", externalIP: "192.0.2.9", location: "here" });
        const after = await read("x9");
        expect(after.metadata.uid).toBe(before.metadata.uid);
        expect(after.metadata.annotations["kilo.squat.ai/location"]).toBe("here");
        expect(after.status.addresses).toContainEqual({ type: "ExternalIP", address: "192.0.2.9" });

        await beta.putNode({ name: "x9", podCIDRs: ["10.17.250.0/24"] });
        const moved = await read("x9");
        expect(moved.spec.podCIDR).toBe("10.17.250.0/24");
        expect(moved.metadata.uid).not.toBe(before.metadata.uid);
        await beta.deleteNode("x9");
        expect(await status(read("x9"))).toBe(404);
    });

    test("lose and gain annotations, as when Kilo's agent restarts", async () => {
        const beta = set.get("beta");
        await beta.putNode({ name: "x8" });
        await beta.patchNodeAnnotations("x8", { "kilo.squat.ai/key": null, extra: "1" });
        const { annotations } = (await read("x8")).metadata;
        expect(annotations).not.toHaveProperty(["kilo.squat.ai/key"]);
        expect(annotations.extra).toBe("1");
    });
});

describe("an API server that goes away", () => {
    let cluster: LocalCluster;
    beforeAll(async () => {
        cluster = await set.add("delta");
        await cluster.createPeer({ name: "stays", spec: SPEC });
    });
    beforeEach(async () => {
        await cluster.start();
        cluster.resume();
    });

    test("comes back at the same address with the same data and credentials, as another process", async () => {
        const before = cluster.pid;
        await cluster.stop();
        await expect(cluster.listPeers()).rejects.toThrow();
        expect(() => cluster.pid).toThrow("delta is stopped");
        await cluster.start();
        expect((await cluster.listPeers()).map(({ metadata }) => metadata.name)).toEqual(["stays"]);
        expect(cluster.pid).not.toBe(before);
        const client = clientOf(cluster.kubeconfig);
        expect(await status(client.request("GET", PEERS))).toBe(200);
        await client.close();
    });

    test("says so when its port was taken meanwhile", async () => {
        await cluster.stop();
        const squatter = await occupy(cluster.port);
        await expect(cluster.start()).rejects.toThrow(
            `its port ${cluster.port} on 127.0.0.1 was taken by another process`,
        );
        await squatter.leave();
        await cluster.start();
        expect(await cluster.listPeers()).toHaveLength(1);
    });

    test("can be frozen: nothing is answered until it is let go on", async () => {
        cluster.suspend();
        let answered = false;
        const pending = cluster.listPeers().then((peers) => {
            answered = true;
            return peers;
        });
        await expect(set.get("alpha").request("GET", "/readyz")).resolves.toBe("ok");
        expect(answered).toBe(false);
        cluster.resume();
        await expect(pending).resolves.toHaveLength(1);
    });
});

test("a port that somebody takes first is exchanged for another, and everything ends with the set", async () => {
    const taken = await freePort();
    const squatter = await occupy(taken);
    let asked = 0;
    // The first choice is for etcd; the squatter sits on the API server's first choice.
    const choosePort = async () => (++asked === 2 ? taken : freePort());
    const other = await startClusters({ names: ["solo"], choosePort });
    const [cluster] = other.clusters;
    expect(asked).toBe(3);
    expect(cluster?.port).not.toBe(taken);
    const server = identify(cluster!.pid)!;
    const record = () => findRecord(registryDirectory(), other.directory);
    expect(record()).toBeDefined();
    await other.stop();
    expect(isAlive(server)).toBe(false);
    expect(existsSync(other.directory)).toBe(false);
    expect(record()).toBeUndefined();
    await squatter.leave();
});

test.each([
    [["Not A Label"], '"Not A Label" cannot name a local cluster'],
    [["etcd"], '"etcd" cannot name a local cluster'],
    [["a", "a"], "Two local clusters have one name"],
])("names %j are refused before anything is started", async (names, message) => {
    await expect(startClusters({ names })).rejects.toThrow(message);
});

test("a directory with files in it is refused", async () => {
    await expect(startClusters({ dir: __dirname, names: ["a"] })).rejects.toThrow("is not empty");
});

test("a server that does not start shows the end of its log", async () => {
    const tools = { etcd: process.execPath, kubeApiserver: process.execPath };
    await expect(startClusters({ names: ["a"], tools })).rejects.toThrow(
        /etcd ended with exit code 9\. The end of its log/,
    );
});

/** Takes a port, and accepts connections without ever answering. */
async function occupy(port: number): Promise<{ leave(): Promise<void> }> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket.on("error", () => undefined)));
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return {
        leave: async () => {
            for (const socket of sockets) socket.destroy();
            await new Promise((resolve) => server.close(resolve));
        },
    };
}
