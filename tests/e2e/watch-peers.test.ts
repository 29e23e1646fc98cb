import { type LocalClusters, startClusters } from "../../tools/clusters";
import { watchPeers } from "../support/watch-peers";

let clusters: LocalClusters;
beforeAll(async () => {
    clusters = await startClusters({ names: ["watched"] });
}, 600_000);
afterAll(() => clusters?.stop(), 60_000);

const spec = (publicKey: string, ...allowedIPs: string[]) => ({ publicKey, allowedIPs });

test("a watch of a real API server sees every write, also of a moment, and notes every clash", async () => {
    const cluster = clusters.get("watched");
    await cluster.createPeer({ name: "before", spec: spec("k0", "10.0.0.0/24") });
    const watch = await watchPeers(cluster.adminKubeconfig);
    await cluster.createPeer({ name: "a", spec: spec("k1", "10.1.0.0/24") });
    await cluster.patchPeer("a", { spec: { allowedIPs: ["10.2.0.0/24"] } });
    await cluster.createPeer({ name: "clash", spec: spec("k2", "10.0.0.0/25") });
    await cluster.deletePeer("clash");
    await cluster.deletePeer("before");
    const { violations } = await watch.stop();
    expect(watch.events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
        "ADDED a",
        "MODIFIED a",
        "ADDED clash",
        "DELETED clash",
        "DELETED before",
    ]);
    expect(violations).toEqual(["event 4: clash and before share 10.0.0.0/25"]);
}, 60_000);
