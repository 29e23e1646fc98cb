import { type ApiDouble, startApiDouble } from "../../support/api-double";
import { openRawApi, type RawApi, type RawWatch } from "../../support/raw-api";

const WATCH = "/api/v1/nodes?watch=1&allowWatchBookmarks=true";

let double: ApiDouble;
let api: RawApi;
const open: RawWatch[] = [];
beforeEach(async () => {
    double = await startApiDouble();
    api = await openRawApi(double.kubeconfig);
});
afterEach(async () => {
    for (const watch of open.splice(0)) watch.close();
    await api.close();
    await double.close();
});

const watched = async (version = ""): Promise<RawWatch> => {
    const watch = await api.watch(`${WATCH}&resourceVersion=${version}`);
    open.push(watch);
    return watch;
};
const nodeVersion = (name: string): string => double.nodes.get(name)?.metadata.resourceVersion ?? "";

test("a watch ends or is reset when it is told to, and is not counted any more", async () => {
    const [first, second] = [await watched(), await watched()];
    expect(double.watches).toBe(2);
    double.endWatches("in order");
    expect([await first.next(), await second.next()]).toEqual([undefined, undefined]);
    const third = await watched();
    double.endWatches("reset");
    await expect(third.next()).rejects.toThrow();
    for (let round = 0; double.watches > 0 && round < 100; round++) await new Promise(setImmediate);
    expect(double.watches).toBe(0);
});

test("a bookmark tells the present version without an object", async () => {
    double.putNode({ metadata: { name: "n1" } });
    const watch = await watched(nodeVersion("n1"));
    double.peers.create(
        {
            apiVersion: "kilo.squat.ai/v1alpha1",
            kind: "Peer",
            metadata: { name: "p1" },
            spec: { allowedIPs: [], publicKey: "k" },
        },
        false,
    );
    double.bookmark();
    const event = await watch.next();
    expect([event?.type, event?.object.metadata]).toEqual([
        "BOOKMARK",
        { resourceVersion: double.peers.get("p1").metadata.resourceVersion },
    ]);
});

test("after compaction a version from before is too old, and a watch that is open goes on", async () => {
    double.putNode({ metadata: { name: "n1" } });
    const version = nodeVersion("n1");
    double.putNode({ metadata: { name: "n2" } });
    const present = await watched(nodeVersion("n2"));
    double.compact();
    expect((await (await watched(version)).next())?.object.code).toBe(410);
    double.nodes.delete("n1");
    expect((await present.next())?.type).toBe("DELETED");
});

test("of very many changes the old ones are forgotten", async () => {
    double.putNode({ metadata: { name: "n1" } });
    const version = nodeVersion("n1");
    for (let at = 0; at < 1_500; at++) double.putNode({ metadata: { name: "n1", labels: { at: String(at) } } });
    expect((await (await watched(version)).next())?.object.code).toBe(410);
    const late = nodeVersion("n1");
    double.putNode({ metadata: { name: "n2" } });
    expect((await (await watched(late)).next())?.object.metadata?.name).toBe("n2");
});
