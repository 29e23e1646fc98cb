import { forEachBounded } from "../../../provider/kube/bounded";
import { type KubeClient, openCluster } from "../../../provider/kube/client";
import type { KubeError } from "../../../provider/kube/errors/kube-error";
import { systemClock } from "../../../provider/kube/http/clock";
import { type ApiDouble, startApiDouble } from "../../support/api-double";
import { failureOf } from "../../support/failure-of";
import { type FaultProxy, type LoggedRequest, startFaultProxy } from "../../support/fault-proxy";
import { hasty } from "../../support/hasty-clock";
import { kubeconfigFor } from "../../support/kubeconfig";
import { startScriptedServer } from "../../support/scripted-server";

// Some of these wait for real timeouts, on machines that may be busy.
jest.setTimeout(60_000);

const SPEC = { allowedIPs: ["10.0.0.0/24"], publicKey: Buffer.alloc(32, 1).toString("base64") };
const OTHER_UID = "9d4c6ee7-3bb1-4d4f-8a77-2f6fb0bd3f18";

let double: ApiDouble;
let proxy: FaultProxy;
let client: KubeClient;
beforeEach(async () => {
    double = await startApiDouble();
    proxy = await startFaultProxy({ kubeconfig: double.kubeconfig });
    client = await openCluster(
        { cluster: "edge", kubeconfig: proxy.kubeconfig },
        { clock: hasty, requestTimeoutSeconds: 2 },
    );
});
afterEach(async () => {
    await client.close();
    await proxy.close();
    await double.close();
});

const create = (name = "p") => client.createPeer({ name, labels: { "kilo-clustermesh.io/mesh": "m" }, spec: SPEC });

test("a peer is created, read, listed by label, changed and deleted", async () => {
    const made = await create();
    expect(made).toEqual({
        name: "p",
        uid: expect.any(String),
        labels: { "kilo-clustermesh.io/mesh": "m" },
        annotations: {},
        spec: SPEC,
        unexpected: [],
    });
    expect(await client.getPeer("p")).toEqual(made);
    expect(await client.listPeers({ labelSelector: "kilo-clustermesh.io/mesh=m" })).toEqual([made]);
    expect(await client.listPeers({ labelSelector: "kilo-clustermesh.io/mesh=other" })).toEqual([]);
    const { uid } = made;
    const changed = await client.patchPeer("p", { metadata: { uid }, spec: { persistentKeepalive: 25 } });
    expect(changed.spec.persistentKeepalive).toBe(25);
    expect(await client.deletePeer("p", uid)).toBe("deleted");
    expect(double.peers.all()).toEqual([]);
});

test("an endpoint is replaced as a whole: a name does not survive behind a new address", async () => {
    const { uid } = await create();
    const withName = { dnsOrIP: { dns: "a.example" }, port: 1 };
    await client.patchPeer("p", { metadata: { uid }, spec: { endpoint: withName } });
    const withAddress = { dnsOrIP: { ip: "192.0.2.1" }, port: 2 };
    expect((await client.patchPeer("p", { metadata: { uid }, spec: { endpoint: withAddress } })).spec.endpoint).toEqual(
        withAddress,
    );
    const none = await client.patchPeer("p", { metadata: { uid }, spec: { endpoint: null } });
    expect(none.spec.endpoint).toBeUndefined();
});

describe("a peer someone else re-created under our name is left alone", () => {
    test("by a patch: conflict, for the reason uid", async () => {
        await create();
        const before = double.peers.get("p");
        const error = await failureOf(
            client.patchPeer("p", { metadata: { uid: OTHER_UID }, spec: { persistentKeepalive: 1 } }),
        );
        expect(error).toMatchObject({ kind: "conflict", reason: "uid", retryable: false });
        expect(double.peers.get("p")).toBe(before);
    });

    test("by a delete: not ours", async () => {
        await create();
        const before = double.peers.get("p");
        expect(await client.deletePeer("p", OTHER_UID)).toBe("not-ours");
        expect(double.peers.get("p")).toBe(before);
    });

    test("an empty uid is refused before anything is sent: the server would take it for any object", async () => {
        await create();
        proxy.resetLog();
        await expect(client.deletePeer("p", "")).rejects.toThrow("by its uid");
        await expect((async () => client.patchPeer("p", { metadata: { uid: "" } }))()).rejects.toThrow("by its uid");
        expect(proxy.requests).toHaveLength(0);
    });
});

test("deleting what is gone is fine", async () => {
    expect(await client.deletePeer("none", OTHER_UID)).toBe("gone");
});

describe("a peer that a finalizer holds", () => {
    const hold = (finalizers: readonly string[] | null): unknown =>
        double.peers.patch("p", { metadata: { finalizers } }, true);

    test("is not taken for deleted: the outcome names who holds it, and it is seen as terminating", async () => {
        const { uid } = await create();
        hold(["example.com/b", "example.com/a"]);
        expect(await client.deletePeer("p", uid)).toEqual({ terminating: ["example.com/b", "example.com/a"] });
        expect((await client.getPeer("p")).finalizers).toEqual(["example.com/b", "example.com/a"]);
        expect(await client.deletePeer("p", uid)).toEqual({ terminating: ["example.com/b", "example.com/a"] });
    });

    test("is deleted when it was let go by the time we look", async () => {
        const { uid } = await create();
        hold(["example.com/quick"]);
        double.peers.onEvent(({ object }) => {
            if (object.metadata.deletionTimestamp && object.metadata.finalizers) hold(null);
        });
        expect(await client.deletePeer("p", uid)).toBe("deleted");
    });

    test("and another object under its name by then is not ours to wait for", async () => {
        const { uid } = await create();
        hold(["example.com/quick"]);
        double.peers.onEvent(({ type, object }) => {
            if (object.metadata.deletionTimestamp && object.metadata.finalizers) hold(null);
            else if (type === "DELETED") double.peers.create({ ...object, metadata: { name: "p" } }, true);
        });
        expect(await client.deletePeer("p", uid)).toBe("deleted");
    });
});

describe("a dry run of a create", () => {
    const dryRun = (spec: object = SPEC) => client.dryRunPeer({ name: "p", labels: {}, spec: spec as typeof SPEC });
    const refuse = (status: number, message: string): void =>
        void proxy.inject({
            when: (request) => request.write,
            fault: { kind: "answer", status, body: { kind: "Status", status: "Failure", message } },
        });

    test("is accepted where the create would be, and writes nothing", async () => {
        expect(await dryRun()).toBe("accepted");
        expect(double.events).toEqual([]);
    });

    test("is accepted where only the name is still taken", async () => {
        await create();
        expect(await dryRun()).toBe("accepted");
        expect(double.events).toHaveLength(1);
    });

    test("fails as the create would, name taken or not", async () => {
        const bad = { ...SPEC, persistentKeepalive: "x" };
        expect(await failureOf(dryRun(bad))).toMatchObject({ kind: "invalid", status: 422 });
        await create();
        expect(await failureOf(dryRun(bad))).toMatchObject({ kind: "invalid", status: 422 });
        refuse(403, 'admission webhook "w" denied the request');
        expect(await failureOf(dryRun())).toMatchObject({ kind: "forbidden" });
    });

    test.each([400, 500])(
        "is told apart when a webhook does not support it (%s), and not tried again",
        async (status) => {
            refuse(status, 'admission webhook "w.example.com" does not support dry run');
            expect(await dryRun()).toBe("unsupported");
            expect(proxy.requests).toHaveLength(1);
        },
    );

    test("is the only call for which such words mean anything", async () => {
        refuse(400, 'admission webhook "w.example.com" does not support dry run');
        expect(await failureOf(create())).toMatchObject({ kind: "invalid", reason: undefined });
    });
});

describe("which cluster it is", () => {
    test("the uid of the namespace kube-system tells", async () => {
        expect(await client.clusterUid()).toBe(double.namespaces.get("kube-system"));
    });

    test("is not known to an account that may not look, nor where there is no such namespace", async () => {
        double.accounts.set("powerless", { user: "nobody", rules: {} });
        const kubeconfig = kubeconfigFor({ server: double.url, token: "powerless" });
        const powerless = await openCluster({ cluster: "edge", kubeconfig });
        expect(await powerless.clusterUid()).toBeUndefined();
        await powerless.close();
        double.namespaces.clear();
        expect(await client.clusterUid()).toBeUndefined();
    });

    test.each([{}, { metadata: {} }, { metadata: { uid: 7 } }, { metadata: { uid: "a\nb" } }, null])(
        "is not known from an answer such as %j",
        async (body) => {
            proxy.inject({ fault: { kind: "answer", status: 200, body: JSON.stringify(body) } });
            expect(await client.clusterUid()).toBeUndefined();
        },
    );

    test("is a failure, not unknown, when there is no answer", async () => {
        proxy.inject({ fault: { kind: "answer", status: 503 } });
        expect(await failureOf(client.clusterUid())).toMatchObject({ kind: "server", status: 503 });
    });
});

test("what the CRD refuses is invalid, and names the field", async () => {
    const spec = { ...SPEC, persistentKeepalive: "x" as unknown as number };
    const error = await failureOf(client.createPeer({ name: "p", labels: {}, spec }));
    expect(error).toMatchObject({ kind: "invalid", status: 422 });
    expect(error.message).toContain("could not create peers.kilo.squat.ai p: 422");
    expect(error.message).toContain("spec.persistentKeepalive");
});

test("a field that the CRD does not know is an error, not dropped in silence", async () => {
    const spec = { ...SPEC, surprise: 1 };
    expect(await failureOf(client.createPeer({ name: "p", labels: {}, spec }))).toMatchObject({ kind: "invalid" });
});

describe("a write whose answer is lost", () => {
    const write = (request: LoggedRequest): boolean => request.write;

    test("create: tried again, and told as already-exists, so that the caller looks whose it is", async () => {
        proxy.inject({ fault: { kind: "drop" }, when: write, times: 1 });
        expect(await failureOf(create())).toMatchObject({ kind: "already-exists", status: 409, retryable: false });
        expect(double.peers.all()).toHaveLength(1);
    });

    test("patch: tried again, and applied once", async () => {
        const { uid } = await create();
        proxy.inject({ fault: { kind: "drop" }, when: write, times: 1 });
        await client.patchPeer("p", { metadata: { uid }, spec: { persistentKeepalive: 7 } });
        expect(double.peers.get("p").metadata.generation).toBe(2);
    });

    test("delete: tried again, and found gone", async () => {
        const { uid } = await create();
        proxy.inject({ fault: { kind: "drop" }, when: write, times: 1 });
        expect(await client.deletePeer("p", uid)).toBe("gone");
    });
});

test.each([
    { kind: "reset" },
    { kind: "cut" },
    { kind: "hang" },
    { kind: "answer", status: 429, retryAfter: "1" },
    { kind: "answer", status: 500 },
    { kind: "answer", status: 503 },
    { kind: "answer", status: 409 },
] as const)("after %j once, a patch still succeeds", async (fault) => {
    const { uid } = await create();
    proxy.inject({ fault, times: 1 });
    const { spec } = await client.patchPeer("p", { metadata: { uid }, spec: { persistentKeepalive: 7 } });
    expect(spec.persistentKeepalive).toBe(7);
});

test("a cluster that dies half-way fails the calls that wait, at once, instead of a timeout for each", async () => {
    proxy.blackHole(true);
    const errors: KubeError[] = [];
    await forEachBounded(Array.from({ length: 200 }).keys(), 16, async (at) => {
        errors.push(await failureOf(create(`p${at}`)));
    });
    expect(new Set(errors.map(({ kind }) => kind))).toEqual(new Set(["unreachable"]));
    expect(proxy.requests.length).toBeLessThanOrEqual(32);
    const untried = errors.filter(({ message }) => message.includes("did not try to create peers.kilo.squat.ai p"));
    expect(untried.length).toBeGreaterThanOrEqual(184);
});

test("one call that keeps failing does not stop the others while the cluster answers", async () => {
    proxy.inject({ fault: { kind: "hang" }, when: ({ path }) => path.endsWith("/poison") });
    await create("healthy");
    const poisoned = failureOf(client.getPeer("poison"));
    let failed = false;
    const busy = (async () => {
        while (!failed) {
            await client.getPeer("healthy");
            await systemClock.sleep(20);
        }
    })();
    expect(await poisoned).toMatchObject({ kind: "unreachable" });
    failed = true;
    await busy;
    expect((await client.getPeer("healthy")).name).toBe("healthy");
});

test("a Secret is read and decoded", async () => {
    double.secrets.set("capi/edge-kubeconfig", { value: "kind: Config\n" });
    const admin = await openCluster({ cluster: "edge", kubeconfig: double.adminKubeconfig });
    expect(await admin.getSecret("capi", "edge-kubeconfig")).toEqual({ value: "kind: Config\n" });
    expect(await failureOf(admin.getSecret("capi", "none"))).toMatchObject({ kind: "not-found" });
    await admin.close();
});

test("a server behind a path prefix is reached under it", async () => {
    const paths: string[] = [];
    const server = await startScriptedServer((request, response) => {
        paths.push(request.url?.split("?")[0] ?? "");
        response.end('{"kind":"NodeList","items":[]}');
    });
    const kubeconfig = kubeconfigFor({ server: `${server.url}/k8s/clusters/c-1/` });
    const behind = await openCluster({ cluster: "edge", kubeconfig });
    await behind.listNodes();
    await behind.close();
    await server.close();
    expect(paths).toEqual(["/k8s/clusters/c-1/api/v1/nodes"]);
});
