import type { Surroundings } from "../../../provider/kube/auth/surroundings";
import { type ObserveOptions, type ObserveTarget, observeClusters } from "../../../provider/observe/observe-clusters";
import { type ApiDouble, startApiDouble } from "../../support/api-double";
import { TestCa } from "../../support/certificates";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy";

// Some of these wait for real timeouts, on machines that may be busy.
jest.setTimeout(60_000);

const ca = new TestCa();
const tls = { ...ca.issue({ commonName: "api", hosts: ["127.0.0.1"] }), ca: ca.cert };
const doubles = new Map<string, ApiDouble>();
const proxies = new Map<string, FaultProxy>();

beforeEach(async () => {
    for (const name of ["a", "b", "c"]) {
        const double = await startApiDouble();
        double.putNode({ metadata: { name: `${name}-1`, labels: { pool: "x", zone: "z" } } });
        double.peers.create(
            {
                apiVersion: "kilo.squat.ai/v1alpha1",
                kind: "Peer",
                metadata: { name: `foreign-${name}` },
                spec: { allowedIPs: ["10.9.0.0/24"], publicKey: "k", presharedKey: "very-secret" },
            },
            true,
        );
        doubles.set(name, double);
        proxies.set(name, await startFaultProxy({ kubeconfig: double.kubeconfig }));
    }
});
afterEach(async () => {
    for (const each of [...proxies.values(), ...doubles.values()]) await each.close();
    proxies.clear();
    doubles.clear();
});

const double = (name: string): ApiDouble => doubles.get(name) as ApiDouble;
const proxy = (name: string): FaultProxy => proxies.get(name) as FaultProxy;
const target = (name: string, more: Partial<ObserveTarget> = {}): ObserveTarget => ({
    name,
    access: { cluster: name, kubeconfig: proxy(name).kubeconfig },
    ...more,
});
const observe = (targets: readonly ObserveTarget[], options: Partial<ObserveOptions> = {}) =>
    observeClusters(targets, { requestTimeoutSeconds: 2, ...options });

test("every cluster's nodes and peers are seen, with exactly two lists and one get each", async () => {
    const { clusters, kubeconfigs } = await observe(["a", "b", "c"].map((name) => target(name)));
    expect(Object.keys(clusters)).toEqual(["a", "b", "c"]);
    for (const name of ["a", "b", "c"]) {
        expect(clusters[name]).toMatchObject({
            ok: true,
            nodes: [{ metadata: { name: `${name}-1` } }],
            peers: [{ name: `foreign-${name}` }],
        });
        expect(
            proxy(name)
                .requests.map(({ method, path }) => `${method} ${path}`)
                .sort(),
        ).toEqual([
            "GET /api/v1/namespaces/kube-system",
            "GET /api/v1/nodes",
            "GET /apis/kilo.squat.ai/v1alpha1/peers",
        ]);
    }
    expect(kubeconfigs).toEqual({});
    expect(JSON.stringify(clusters)).not.toContain("very-secret");
});

test("of many clusters each is asked over one connection, for the same answers", async () => {
    const names = Array.from({ length: 24 }, (_, at) => `c${at}`);
    const { clusters } = await observe(
        names.map((name) => ({ name, access: { cluster: name, kubeconfig: proxy("a").kubeconfig } })),
    );
    for (const name of names) {
        expect(clusters[name]).toMatchObject({
            ok: true,
            nodes: [{ metadata: { name: "a-1" } }],
            peers: [{ name: "foreign-a" }],
        });
    }
    expect(proxy("a").requests).toHaveLength(3 * names.length);
    expect(proxy("a").connectionsMade()).toBe(names.length);
});

test("nodeSelector hides no node: one outside the selection may lead its location", async () => {
    double("a").putNode({ metadata: { name: "a-2", labels: { pool: "y", other: "o" } } });
    const { clusters } = await observe([target("a", { nodeSelector: { pool: "x" } })]);
    expect(clusters.a).toMatchObject({
        ok: true,
        nodes: [{ metadata: { labels: { pool: "x" } } }, { metadata: { labels: { pool: "y" } } }],
    });
});

test("a cluster that fails is a value, and costs the others nothing", async () => {
    double("a").accounts.clear();
    double("b").installCrd(false);
    const bad = { name: "bad", access: { cluster: "bad", kubeconfig: "not\nyaml: [" } };
    const { clusters } = await observe([target("a"), target("b"), target("c"), bad]);
    expect(Object.entries(clusters).map(([name, seen]) => [name, seen.ok || seen.kind])).toEqual([
        ["a", "unauthorized"],
        ["b", "crd-missing"],
        ["c", true],
        ["bad", "config"],
    ]);
    for (const seen of Object.values(clusters)) if (!seen.ok) expect(seen.fix).not.toBe("");
});

test("a silent cluster is asked once, several time out together, and the others do not wait for them", async () => {
    proxy("a").blackHole(true);
    proxy("b").blackHole(true);
    const told: string[] = [];
    let askedBeforeFirstFailure: number[] = [];
    const { clusters } = await observe(
        ["a", "b", "c"].map((name) => target(name)),
        {
            onProgress: ({ cluster, ok }) => {
                told.push(cluster);
                if (!ok && askedBeforeFirstFailure.length === 0) {
                    askedBeforeFirstFailure = [proxy("a").requests.length, proxy("b").requests.length];
                }
            },
        },
    );
    expect(clusters.a).toMatchObject({ ok: false, kind: "unreachable" });
    expect(clusters.b).toMatchObject({ ok: false, kind: "unreachable" });
    expect(clusters.c).toMatchObject({ ok: true });
    expect(told[0]).toBe("c");
    expect(askedBeforeFirstFailure).toEqual([3, 3]);
    expect([proxy("a").requests.length, proxy("b").requests.length]).toEqual([3, 3]);
});

test("a short hiccup is survived", async () => {
    for (const fault of [{ kind: "reset" }, { kind: "answer", status: 503 }, { kind: "cut" }] as const) {
        proxy("a").atRequest(1, fault);
        expect((await observe([target("a")])).clusters.a).toMatchObject({ ok: true });
    }
});

test("progress is told, cluster by cluster", async () => {
    const told: string[] = [];
    double("b").accounts.clear();
    await observe([target("a"), target("b")], {
        onProgress: ({ cluster, ok, done, total }) => told.push(`${cluster} ${ok} ${done}/${total}`),
    });
    expect(told.map((line) => line.slice(-3))).toEqual(["1/2", "2/2"]);
    expect(told.map((line) => line.slice(0, -4)).sort()).toEqual(["a true", "b false"]);
});

describe("kubeconfigSecret", () => {
    const secret = (cluster: string, name: string) => ({ cluster, namespace: "capi", name, key: "value" });
    const admin = (name: string): ObserveTarget => ({
        name,
        access: { cluster: name, kubeconfig: double(name).adminKubeconfig },
    });
    const through = (name: string, holder: string, more: object = {}): ObserveTarget => ({
        name,
        access: { cluster: name },
        kubeconfigSecret: { ...secret(holder, `${name}-kubeconfig`), ...more },
    });
    let remote: ApiDouble;
    beforeEach(async () => {
        remote = await startApiDouble({ tls });
        remote.putNode({ metadata: { name: "remote-1" } });
    });
    afterEach(() => remote.close());

    test("is read from the member that holds it, and its content is returned", async () => {
        double("a").secrets.set("capi/r-kubeconfig", { value: remote.kubeconfig });
        const { clusters, kubeconfigs } = await observe([through("r", "a"), admin("a")]);
        expect(clusters.r).toMatchObject({ ok: true, nodes: [{ metadata: { name: "remote-1" } }] });
        expect(kubeconfigs).toEqual({ r: remote.kubeconfig });
    });

    test("may be in a cluster whose kubeconfig is itself in a Secret", async () => {
        double("a").secrets.set("capi/r-kubeconfig", { value: remote.adminKubeconfig });
        const far = await startApiDouble({ tls });
        remote.secrets.set("capi/far-kubeconfig", { value: far.kubeconfig });
        const { clusters, kubeconfigs } = await observe([through("far", "r"), through("r", "a"), admin("a")]);
        await far.close();
        expect([clusters.far?.ok, clusters.r?.ok, clusters.a?.ok]).toEqual([true, true, true]);
        expect(Object.keys(kubeconfigs)).toEqual(["far", "r"]);
    });

    test("is not read when the environment gives a kubeconfig", async () => {
        const surroundings: Surroundings = {
            env: { KILO_CLUSTERMESH_KUBECONFIG_R: remote.kubeconfig },
            home: "/",
            serviceAccountDirectory: "/",
        };
        const { clusters, kubeconfigs } = await observe([through("r", "a"), admin("a")], { surroundings });
        expect([clusters.r?.ok, kubeconfigs]).toEqual([true, {}]);
    });

    test.each<[string, () => ObserveTarget[], string, RegExp]>([
        [
            "in a circle",
            () => [through("r", "s"), through("s", "r"), admin("a")],
            "config",
            /leads back to itself: r → s → r/,
        ],
        ["in itself", () => [through("r", "r"), admin("a")], "config", /leads back to itself: r → r/],
        [
            "in a cluster that is not in the mesh",
            () => [through("r", "x"), admin("a")],
            "config",
            /in cluster x, which is not in this mesh/,
        ],
        [
            "that does not exist",
            () => [through("r", "a"), admin("a")],
            "not-found",
            /the Secret capi\/r-kubeconfig in cluster a, which could not be read: .*404/,
        ],
        [
            "without that key",
            () => [through("r", "a", { name: "empty" }), admin("a")],
            "config",
            /has nothing under the key "value"/,
        ],
        [
            "that we may not read",
            () => [through("r", "b"), target("b"), admin("a")],
            "forbidden",
            /cannot get resource "secrets"/,
        ],
        [
            "that starts programs here",
            () => [through("r", "a", { name: "evil" }), admin("a")],
            "config",
            /asks for an exec plugin/,
        ],
    ])("%s is an error of that cluster alone", async (_, targets, kind, message) => {
        double("a").secrets.set("capi/empty", { other: "x" });
        const evil = JSON.parse(remote.kubeconfig);
        evil.users[0].user.exec = { apiVersion: "v1", command: "touch" };
        double("a").secrets.set("capi/evil", { value: JSON.stringify(evil) });
        const { clusters, kubeconfigs } = await observe(targets());
        expect(clusters.r).toMatchObject({ ok: false, kind, message: expect.stringMatching(message) });
        expect(clusters.a).toMatchObject({ ok: true });
        expect(kubeconfigs).toEqual({});
    });

    test("in a cluster that is down makes both unreachable, in the time of one", async () => {
        proxy("a").blackHole(true);
        const { clusters } = await observe([through("r", "a"), target("a")]);
        expect(clusters.r).toMatchObject({
            ok: false,
            kind: "unreachable",
            message: expect.stringMatching(/^cluster r: its kubeconfig is the Secret/),
        });
        expect(clusters.a).toMatchObject({ ok: false, kind: "unreachable" });
    });

    test("content never shows in a failure", async () => {
        double("a").secrets.set("capi/r-kubeconfig", { value: "very-secret: [\n" });
        const { clusters } = await observe([through("r", "a"), admin("a")]);
        expect(clusters.r).toMatchObject({ ok: false, kind: "config" });
        expect(JSON.stringify(clusters)).not.toContain("very-secret");
    });
});
