import { type KubeClient, openCluster } from "../../../provider/kube/client";
import { failureState } from "../../../provider/kube/errors/kube-error";
import { type ApiDouble, startApiDouble } from "../../support/api-double";
import { failureOf } from "../../support/failure-of";
import { type FaultProxy, type LoggedRequest, startFaultProxy } from "../../support/fault-proxy";
import { hasty } from "../../support/hasty-clock";
import { key } from "../../support/keys";

/** Found by the single faults: a 404 of something in front of the API server was believed to mean "gone". */

let double: ApiDouble;
let proxy: FaultProxy;
let client: KubeClient;
let uid: string;

const PAGE = { kind: "answer", status: 404, body: "404 page not found\n" } as const;
const ofPeers = ({ path }: LoggedRequest): boolean => path.includes("/peers");

beforeAll(async () => {
    double = await startApiDouble();
    proxy = await startFaultProxy({ kubeconfig: double.kubeconfig });
    client = await openCluster({ cluster: "hub", kubeconfig: proxy.kubeconfig }, { clock: hasty });
    const spec = { allowedIPs: ["10.1.0.0/24"], publicKey: key(1) };
    uid = (await client.createPeer({ name: "p", labels: {}, spec })).uid;
});
afterEach(() => {
    proxy.clear();
    double.installCrd(true);
});
afterAll(async () => {
    await client.close();
    await proxy.close();
    await double.close();
});

test("a 404 for a peer while the server has Kilo's kind is not taken for a deleted peer", async () => {
    proxy.inject({ fault: PAGE, when: ofPeers });
    const { kind, message } = await failureOf(client.deletePeer("p", uid));
    expect(kind).toBe("server");
    expect(message).toContain("its list of API groups has kilo.squat.ai");
    expect(double.peers.all()).toHaveLength(1);
});

test("a 404 for the list while the server has Kilo's kind is not taken for a cluster without Kilo", async () => {
    proxy.inject({ fault: PAGE, when: ofPeers });
    expect((await failureOf(client.listPeers())).kind).toBe("server");
});

test("a 404 for everything is not taken for a cluster without Kilo", async () => {
    proxy.inject({ fault: PAGE });
    const { kind, message } = await failureOf(client.listPeers());
    expect(kind).toBe("server");
    expect(message).toContain("could not be found out");
});

test("a cluster that stops answering between the two questions is silent, not unusable", async () => {
    proxy.inject({ fault: PAGE, when: ofPeers });
    proxy.inject({ fault: { kind: "answer", status: 503 }, when: ({ path }) => path === "/apis" });
    const error = await failureOf(client.listPeers());
    expect([error.kind, failureState(error)]).toEqual(["server", "silent"]);
});

test("a list of groups that is none proves nothing", async () => {
    proxy.inject({ fault: PAGE, when: ofPeers });
    proxy.inject({ fault: { kind: "answer", status: 200, body: {} }, when: ({ path }) => path === "/apis" });
    expect((await failureOf(client.listPeers())).message).toContain("cannot be read");
});

test("only a server whose groups have no Kilo is without it", async () => {
    double.installCrd(false);
    expect((await failureOf(client.listPeers())).kind).toBe("crd-missing");
    expect(await client.deletePeer("p", uid)).toBe("gone");
});
