import { DataPlane } from "../../support/kilo-model/data-plane";
import { type Case, judge, violationText } from "../../support/kilo-model/judge";
import type { PeerObject } from "../../support/kilo-model/objects";
import { added, cluster, deleted, located, NOW, node, peer, podsOf } from "./world";

const three = (peers: { readonly a?: PeerObject[]; readonly b?: PeerObject[]; readonly c?: PeerObject[] } = {}) => ({
    a: cluster([node("a1"), node("a2")], peers.a ?? [peer("b1"), peer("c1")]),
    b: cluster([node("b1")], peers.b ?? [peer("a1"), peer("a2"), peer("c1")]),
    c: cluster([node("c1")], peers.c ?? [peer("a1"), peer("a2"), peer("b1")]),
});

const verdicts = (given: Case): readonly string[] => judge(given).map(violationText);

const all = { links: "all" } as const;

test("a mesh in which everything declared is reachable and nothing else is has no violation", () => {
    expect(verdicts({ clusters: three(), declaration: all })).toEqual([]);
});

test("pairs that the program joins and that do not reach each other are named, both ways, with why", () => {
    const clusters = three({ b: [peer("a1"), peer("c1")] });
    expect(verdicts({ clusters, declaration: all })).toEqual([
        "a2 → b1 unreachable (peer-missing)",
        "b1 → a2 unreachable (no-route)",
    ]);
});

test("pairs that reach each other though the program does not join them are named", () => {
    const links = [
        ["a", "b"],
        ["a", "c"],
    ] as const;
    expect(verdicts({ clusters: three(), declaration: { links } })).toEqual(["b1 → c1 reachable", "c1 → b1 reachable"]);
});

test("nodes that do not take part reach nobody", () => {
    const declaration = { ...all, meshed: { a: ["a1"] } };
    const without = three({ b: [peer("a1"), peer("c1")], c: [peer("a1"), peer("b1")] });
    expect(verdicts({ clusters: without, declaration })).toEqual([]);
    expect(verdicts({ clusters: three(), declaration })).toContain("a2 → b1 reachable");
});

test("what a target does not accept is not joined, either way", () => {
    const declaration = { ...all, acceptedNetworks: { b: [podsOf("a1"), podsOf("c1")] } };
    const cut = three({ b: [peer("a1"), peer("c1")] });
    expect(verdicts({ clusters: cut, declaration })).toEqual([]);
    expect(verdicts({ clusters: three(), declaration })).toEqual(["a2 → b1 reachable", "b1 → a2 reachable"]);
});

test("packets that get there are named even if no answer gets back", () => {
    const unmasked = peer("c1", { name: "0", allowedIPs: ["10.3.1.1/24"] });
    const clusters = three({ a: [peer("b1")], b: [unmasked, peer("a1")], c: [] });
    expect(verdicts({ clusters, declaration: { links: [] } })).toEqual(["a1 → b1 arrives (no-route)", "b1 churns"]);
});

test("nodes that Kilo would reconfigure every 30 seconds are named, though all pods reach each other", () => {
    const shared = peer("b1", { allowedIPs: [podsOf("b1"), "10.101.0.2/32"] });
    expect(verdicts({ clusters: three({ a: [shared, peer("c1")] }), declaration: all })).toEqual(["a1 churns"]);
});

test("a Peer that breaks the cluster it is written into is found out", () => {
    const clusters = three({ a: [peer("b1", { allowedIPs: [podsOf("b1"), podsOf("a1")] }), peer("c1")] });
    const found = verdicts({ clusters, declaration: all });
    expect(found).toContain("a2 → a1 broken-inside (network-contested)");
    expect(found).toContain("b1 → a1 unreachable (own-network-replaced)");
});

test("what is broken inside a cluster without any Peer is not the Peers' fault", () => {
    const blocked = { blocked: (from: { cluster: string }, to: { cluster: string }) => from.cluster === to.cluster };
    expect(verdicts({ clusters: three(), declaration: all, options: blocked })).toEqual([]);
});

test("nodes that Kilo does not count as ready are not judged", () => {
    const clusters = three({ b: [peer("a1"), peer("c1")], c: [peer("a1"), peer("b1")] });
    const stale = node("a2", { annotations: { "last-seen": String(NOW - 100) } });
    const a = { ...clusters.a, nodes: [node("a1"), stale] };
    expect(verdicts({ clusters: { ...clusters, a }, declaration: all, options: { now: NOW } })).toEqual([]);
});

test("pods of both families are judged, each with its own", () => {
    const dual = (name: string) => node(name, { podCIDRs: [podsOf(name), `fd00:${name}::/64`] });
    const podIPs = { a: { a1: [podsOf("a1").replace("0/24", "9"), "fd00:a1::9"] }, b: { b1: ["fd00:b1::9"] } };
    const both = (name: string) => peer(name, { allowedIPs: [podsOf(name), `fd00:${name}::/64`] });
    const clusters = { a: cluster([dual("a1")], [both("b1")]), b: cluster([dual("b1")], [both("a1")]) };
    expect(verdicts({ clusters, declaration: { ...all, podIPs } })).toEqual([]);
    const first = { ...clusters, b: cluster([dual("b1")], [peer("a1")]) };
    expect(verdicts({ clusters: first, declaration: { ...all, podIPs } })).toHaveLength(2);
});

test("a run of writes is judged write by write", () => {
    const clusters = three();
    const model = new DataPlane(clusters);
    const changed = peer("a2", { carries: ["a2"], persistentKeepalive: 25 });
    model.apply("b", deleted(peer("a2")));
    const between = verdicts({ clusters, declaration: all, model });
    expect(between).toEqual(["a2 → b1 unreachable (peer-missing)", "b1 → a2 unreachable (no-route)"]);
    model.apply("b", added(changed));
    expect(verdicts({ clusters, declaration: all, model })).toEqual([]);
});

test("a location whose Peer has the key of a node that does not lead is found out", () => {
    const clusters = {
        a: cluster([located("a1"), located("a2")], [peer("b1")]),
        b: cluster([node("b1")], [peer("a2", { carries: ["a1", "a2"] })]),
    };
    expect(verdicts({ clusters, declaration: all })).toEqual([
        "a1 → b1 unreachable (peer-missing)",
        "a2 → b1 unreachable (peer-missing)",
        "b1 → a1 unreachable (not-leader)",
        "b1 → a2 unreachable (not-leader)",
    ]);
});
