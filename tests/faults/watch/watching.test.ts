import { type LocalCluster, type LocalClusters, nodeSpecs, startClusters } from "../../../tools/clusters";
import { kubeconfigText } from "../../../tools/clusters/credentials";
import { until } from "../../e2e/support/until";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy";
import { type FollowedFiles, followFiles } from "./followed-files";

jest.setTimeout(600_000);

let clusters: LocalClusters;
let berlin: LocalCluster;
let followed: FollowedFiles | undefined;
let proxy: FaultProxy | undefined;

beforeAll(async () => {
    // watches of nodes go down to etcd itself, those of peers to the cache of the API server
    clusters = await startClusters({ names: ["hub", "berlin"], serverArguments: ["--watch-cache-sizes=nodes#0"] });
    berlin = clusters.get("berlin");
});

beforeEach(async () => {
    for (const cluster of clusters.clusters) {
        await cluster.putNodes(nodeSpecs(cluster, 2));
        for (const name of [3, 4].map((at) => `${cluster.name}-n${at}`))
            await cluster.deleteNode(name).catch(() => undefined);
    }
});

afterEach(async () => {
    await followed?.close();
    await proxy?.close();
    followed = proxy = undefined;
});

afterAll(async () => {
    await clusters?.stop();
});

const join = (cluster: LocalCluster, at: number): Promise<void> => cluster.putNode(nodeSpecs(cluster, at)[at - 1]!);

/** berlin is reached through a proxy; hub is not. */
async function followThroughProxy(faults: (proxy: FaultProxy) => void): Promise<FollowedFiles> {
    proxy = await startFaultProxy({ kubeconfig: berlin.kubeconfig });
    faults(proxy);
    followed = await followFiles(clusters.clusters, { berlin: proxy.kubeconfig });
    return followed;
}

const asked = (path: string, isWatch: boolean): number =>
    proxy!.requests.filter((each) => each.path.endsWith(path) && (each.watch === true) === isWatch).length;

test("an API server that is restarted is followed again", async () => {
    followed = await followFiles(clusters.clusters);
    await berlin.stop();
    await followed.tells("berlin", "silent", 1);
    await berlin.start();
    await followed.tells("berlin", "seen", 2);
    await join(berlin, 3);
    await followed.nextRun();
});

test("a connection that is reset in the middle of an event costs a list, and the event is not lost", async () => {
    const { nextRun, watch } = await followThroughProxy((through) =>
        through.inject({
            fault: { kind: "cut-event", holding: "berlin-n3" },
            when: ({ path, watch }) => watch === true && path.endsWith("/nodes"),
            times: 1,
        }),
    );
    await until(
        async () => asked("/nodes", true),
        (watches) => watches === 1,
        30,
    );
    await join(berlin, 3);
    await nextRun();
    expect(asked("/nodes", false)).toBe(2);
    expect(watch.printed()).not.toContain("silent");
});

test("a member that is frozen for longer than the deadline is silent, holds up nobody, and is followed again", async () => {
    followed = await followFiles(clusters.clusters);
    berlin.suspend();
    try {
        await followed.tells("berlin", "silent", 1);
        await join(clusters.get("hub"), 3);
        await followed.nextRun();
    } finally {
        berlin.resume();
    }
    await followed.tells("berlin", "seen", 2);
    // that run did not see it
    await followed.nextRun();
    await join(berlin, 3);
    await followed.nextRun();
});

test("a member whose token expires is unusable, and is followed again with the token that replaces it", async () => {
    const old = await boundToken("first");
    followed = await followFiles(clusters.clusters, { berlin: kubeconfigWith(old.token) });
    await old.revoke();
    await followed.tells("berlin", "unusable", 1);
    expect(followed.watch.printed()).toContain("Renew the token");
    const renewed = await boundToken("second");
    followed.write("berlin", kubeconfigWith(renewed.token));
    await followed.tells("berlin", "seen", 2);
    await join(berlin, 3);
    await followed.nextRun();
    for (const { token } of [old, renewed]) expect(followed.watch.printed()).not.toContain(token);
    await renewed.revoke();
});

const NAMESPACE = "/api/v1/namespaces/kilo-clustermesh";

/** A token ends with the Secret that it is bound to. */
async function boundToken(name: string): Promise<{ readonly token: string; revoke(): Promise<unknown> }> {
    const secret = await berlin.request<{ metadata: { uid: string } }>("POST", `${NAMESPACE}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name },
    });
    const boundObjectRef = { apiVersion: "v1", kind: "Secret", name, uid: secret.metadata.uid };
    const path = `${NAMESPACE}/serviceaccounts/kilo-clustermesh/token`;
    const { status } = await berlin.request<{ status: { token: string } }>("POST", path, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { boundObjectRef, expirationSeconds: 3600 },
    });
    return { token: status.token, revoke: () => berlin.request("DELETE", `${NAMESPACE}/secrets/${name}`) };
}

const kubeconfigWith = (token: string): string => {
    const ca = /certificate-authority-data: (\S+)/.exec(berlin.kubeconfig)?.[1] ?? "";
    return kubeconfigText({
        ...{ name: "berlin", url: berlin.url, user: "watcher", token },
        ca: Buffer.from(ca, "base64").toString("utf8"),
    });
};
