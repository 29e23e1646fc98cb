import { request } from "undici";
import { type LocalCluster, type LocalClusters, nodeSpecs, startClusters } from "../../../tools/clusters";
import { until } from "../../e2e/support/until";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy";
import { type FollowedFiles, followFiles } from "./followed-files";

jest.setTimeout(600_000);

let clusters: LocalClusters;
let berlin: LocalCluster;
let followed: FollowedFiles | undefined;
let proxy: FaultProxy | undefined;

beforeAll(async () => {
    // watches of nodes go down to etcd itself, so that its compaction is felt
    clusters = await startClusters({ names: ["hub", "berlin"], serverArguments: ["--watch-cache-sizes=nodes#0"] });
    berlin = clusters.get("berlin");
    for (const cluster of clusters.clusters) await cluster.putNodes(nodeSpecs(cluster, 2));
});

afterAll(async () => {
    await followed?.close();
    await proxy?.close();
    await clusters?.stop();
});

const join = (cluster: LocalCluster, at: number): Promise<void> => cluster.putNode(nodeSpecs(cluster, at)[at - 1]!);

const asked = (path: string, isWatch: boolean): number =>
    proxy!.requests.filter((each) => each.path.endsWith(path) && (each.watch === true) === isWatch).length;

test("what happened before etcd was compacted is found by a list, and nothing else is listed for it", async () => {
    let compacted: () => void = () => undefined;
    const until410 = new Promise<void>((resolve) => {
        compacted = resolve;
    });
    const ofNodes = {
        when: ({ path, watch }: { path: string; watch?: true }) => watch === true && path.endsWith("/nodes"),
    };
    proxy = await startFaultProxy({ kubeconfig: berlin.kubeconfig });
    proxy.inject({ ...ofNodes, times: 1, fault: { kind: "end-after", holding: "berlin-n3" } });
    proxy.inject({ ...ofNodes, times: 1, fault: { kind: "hold", until: until410 } });
    followed = await followFiles(clusters.clusters, { berlin: proxy.kubeconfig }, 60);
    const { nextRun } = followed;
    await join(berlin, 3);
    await nextRun();
    await until(
        async () => asked("/nodes", true),
        (watches) => watches >= 2,
        30,
    );
    // nobody hears of this one, and then nobody can be told of it any more
    await join(berlin, 4);
    // what is newer than it is compacted with it
    const secrets = "/api/v1/namespaces/default/secrets";
    await berlin.request("POST", secrets, { apiVersion: "v1", kind: "Secret", metadata: { name: "newer" } });
    await berlin.request("DELETE", `${secrets}/newer`);
    await compact(clusters.database.port);
    expect(asked("/nodes", false)).toBe(1);
    compacted();
    await nextRun();
    expect([asked("/nodes", false), asked("/nodes", true)]).toEqual([2, 3]);
    expect([asked("/peers", false), asked("/peers", true)]).toEqual([1, 1]);
});

async function compact(port: number): Promise<void> {
    const call = async (path: string, body: object): Promise<{ header?: { revision?: string } }> => {
        const answer = await request(`http://127.0.0.1:${port}${path}`, { method: "POST", body: JSON.stringify(body) });
        if (answer.statusCode !== 200) throw new Error(`${path}: ${await answer.body.text()}`);
        return (await answer.body.json()) as { header?: { revision?: string } };
    };
    const { header } = await call("/v3/kv/range", { key: Buffer.from("/").toString("base64") });
    await call("/v3/kv/compaction", { revision: header?.revision, physical: true });
}
