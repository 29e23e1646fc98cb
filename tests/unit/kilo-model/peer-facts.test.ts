import { type KiloModel, kiloModel } from "../../support/kilo-model/kilo-model";
import {
    cluster,
    endpointOf,
    host,
    internalOf,
    keyOf,
    located,
    named,
    node,
    pair,
    peer,
    peerWithoutEndpoint,
    pod,
    podsOf,
} from "./world";

/** Facts of docs/kilo.md about Peers at one moment; the number is that of the experiment that showed it. */

const OK = { ok: true };

test("two nodes that know each other's key and networks reach each other's pods", () => {
    expect(kiloModel(pair()).reach(pod("a1"), pod("b1"))).toEqual({
        ok: true,
        there: [ref("a1"), ref("b1")],
        back: [ref("b1"), ref("a1")],
    });
});

test("a Peer on one side only is no tunnel", () => {
    const { a, b } = pair();
    const model = kiloModel({ a, b: { ...b, peers: [] } });
    expect(model.reach(pod("a1"), pod("b1"))).toMatchObject({
        reason: "peer-missing",
        where: ref("b1"),
        direction: "there",
    });
    expect(model.reach(pod("b1"), pod("a1"))).toMatchObject({ reason: "no-route", where: ref("b1") });
});

test("E1: host bits in allowedIPs are reconfigured without end, and end the update of routes", () => {
    const { a, b } = pair();
    const c = cluster([node("c1")], [peer("a1")]);
    const unmasked = peer("b1", { name: "b", allowedIPs: ["10.2.0.1/16"] });
    const model = kiloModel({ a: { ...a, peers: [unmasked, peer("c1", { name: "c" })] }, b, c });
    expect(model.wireguard("a", "a1")).toMatchObject({ churns: true });
    expect(networksOf(model, "a1")).toEqual({ b: ["10.2.0.0/16"], c: [podsOf("c1")] });
    expect(Object.keys(model.routes("a", "a1"))).not.toContain(podsOf("c1"));
    expect(model.reach(pod("a1"), pod("c1"))).toMatchObject({ reason: "no-route", where: ref("a1") });
    expect(kiloModel(pair()).wireguard("a", "a1").churns).toBe(false);
});

describe("E2: an endpoint inside allowedIPs", () => {
    const flat = { annotations: { "internal-ip": `${endpointOf("b1")}/24` } };
    const withHost = peer("b1", { allowedIPs: [podsOf("b1"), `${endpointOf("b1")}/32`] });

    test("is a routing loop: no packet leaves", () => {
        const { a, b } = pair();
        const model = kiloModel({ a: { ...a, peers: [withHost] }, b: { ...b, nodes: [node("b1", flat)] } });
        expect(model.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "endpoint-in-tunnel", where: ref("a1") });
        expect(model.reach(pod("b1"), pod("a1"))).toMatchObject({ reason: "endpoint-in-tunnel", where: ref("a1") });
    });

    test("of another Peer is one too", () => {
        const { a, b } = pair();
        const c = cluster([node("c1")], [peer("a1")]);
        const around = peer("c1", { allowedIPs: [podsOf("c1"), "198.51.100.0/24"] });
        const model = kiloModel({ a: { ...a, peers: [peer("b1"), around] }, b, c });
        expect(model.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "endpoint-in-tunnel" });
    });

    test("is guarded against between nodes of one cluster", () => {
        const nodes = ["a1", "a2"].map((name) =>
            node(name, { annotations: { "internal-ip": `${endpointOf(name)}/24` } }),
        );
        expect(kiloModel({ a: cluster(nodes) }).reach(pod("a1"), pod("a2"))).toMatchObject(OK);
    });

    test("does not matter where a longer route leads there", () => {
        const lan = { annotations: { "internal-ip": "198.51.100.11/24" } };
        const wide = peer("b1", { allowedIPs: [podsOf("b1"), "198.51.0.0/16"] });
        const model = kiloModel({ ...pair(), a: cluster([node("a1", lan)], [wide]) });
        expect(model.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
    });

    test("host traffic needs the node's internal address in the other's allowedIPs; pods do not", () => {
        const { a, b } = pair();
        expect(kiloModel({ a, b }).reach(host("a1"), pod("b1"))).toMatchObject({
            reason: "source-refused",
            where: ref("b1"),
        });
        expect(kiloModel({ a, b }).reach(pod("a1"), pod("b1"))).toMatchObject(OK);
        const known = peer("a1", { allowedIPs: [podsOf("a1"), `${internalOf("a1")}/32`] });
        expect(kiloModel({ a, b: { ...b, peers: [known] } }).reach(host("a1"), pod("b1"))).toMatchObject(OK);
    });
});

test('E2b: with force-internal-ip "-" traffic of the node comes from its WireGuard address', () => {
    const { b } = pair();
    const a = cluster([node("a1", { annotations: { "force-internal-ip": "-" } })], [peer("b1")]);
    const byWireGuard = peer("a1", { allowedIPs: [podsOf("a1"), "10.101.0.1/32"] });
    const byInternal = peer("a1", { allowedIPs: [podsOf("a1"), `${internalOf("a1")}/32`] });
    expect(kiloModel({ a, b: { ...b, peers: [byWireGuard] } }).reach(host("a1"), pod("b1"))).toMatchObject(OK);
    expect(kiloModel({ a, b: { ...b, peers: [byInternal] } }).reach(host("a1"), pod("b1"))).toMatchObject({
        reason: "source-refused",
    });
});

test("E3: one name without an address freezes all Peers and nodes", () => {
    const clusters = {
        a: cluster([node("a1"), node("a2")], [peer("b1"), peer("c1", { endpoint: named("gone.example") })]),
        b: cluster([node("b1")], [peer("a1")]),
    };
    expect(kiloModel(clusters).reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "frozen", where: ref("a1") });
    expect(kiloModel(clusters).reach(pod("a1"), pod("a2"))).toMatchObject({ reason: "frozen" });
    expect(kiloModel(clusters, { resolve: () => "203.0.113.1" }).reach(pod("a1"), pod("b1"))).toMatchObject(OK);
});

test("E6: where a Peer has a name and an address, the name wins", () => {
    const { b } = pair();
    const both = peer("b1", { endpoint: { dnsOrIP: { dns: "b.example", ip: "203.0.113.99" }, port: 51820 } });
    const model = kiloModel({ a: cluster([node("a1")], [both]), b }, { resolve: () => endpointOf("b1") });
    expect(model.wireguard("a", "a1").peers[0]).toMatchObject({ endpoint: `${endpointOf("b1")}:51820` });
});

test("E7: a Peer with the node's own pod network takes that node's pods away", () => {
    const a = cluster([node("a1"), node("a2")], [peer("b1", { allowedIPs: [podsOf("b1"), podsOf("a1")] })]);
    const model = kiloModel({ ...pair(), a });
    expect(model.routes("a", "a1")[podsOf("a1")]).toBe("tunnel");
    expect(model.reach(pod("a2"), pod("a1"))).toMatchObject({ ok: false });
    expect(model.reach(pod("a1"), pod("b1"))).toMatchObject({
        reason: "own-network-replaced",
        where: ref("a1"),
        direction: "back",
    });
});

describe("E8: persistentKeepalive of a Peer", () => {
    const hidden = { natted: ({ cluster: name }: { cluster: string }) => name === "b", traffic: false };
    const a = cluster([node("a1")], [peerWithoutEndpoint("b1", { persistentKeepalive: 25 })]);

    test("is not what a node sends: nobody opens the tunnel to it", () => {
        const b = cluster([node("b1")], [peer("a1", { persistentKeepalive: 25 })]);
        expect(kiloModel({ a, b }, hidden).reach(pod("a1"), pod("b1"))).toMatchObject({
            reason: "nobody-dials",
            where: ref("b1"),
        });
        expect(kiloModel({ a, b }, hidden).wireguard("b", "b1").keepalive).toBe(0);
    });

    test("the annotation of a node is: its tunnels open by themselves", () => {
        const b = cluster([node("b1", { annotations: { "persistent-keepalive": "10" } })], [peer("a1")]);
        expect(kiloModel({ a, b }, hidden).reach(pod("a1"), pod("b1"))).toMatchObject(OK);
    });

    test("a node behind NAT that has something to send opens it as well", () => {
        const b = cluster([node("b1")], [peer("a1")]);
        expect(kiloModel({ a, b }, hidden).reach(pod("b1"), pod("a1"))).toMatchObject(OK);
        expect(kiloModel({ a, b }, { ...hidden, traffic: true }).reach(pod("a1"), pod("b1"))).toMatchObject(OK);
    });

    test("0 pins the endpoint: a peer that is seen elsewhere is set back every 30 seconds", () => {
        const pinned = cluster([node("a1")], [peer("b1")]);
        const b = cluster([node("b1")], [peer("a1")]);
        expect(kiloModel({ a: pinned, b }, hidden).reach(pod("b1"), pod("a1"))).toMatchObject({
            reason: "roaming-reset",
            where: ref("a1"),
        });
    });
});

describe("E11: a preshared key", () => {
    const secret = keyOf("y1");
    const joined = (mine: string | undefined, theirs: string | undefined) =>
        kiloModel({
            a: cluster([node("a1")], [peer("b1", mine === undefined ? {} : { presharedKey: mine })]),
            b: cluster([node("b1")], [peer("a1", theirs === undefined ? {} : { presharedKey: theirs })]),
        }).reach(pod("a1"), pod("b1"));

    test("works when both sides have it", () => expect(joined(secret, secret)).toMatchObject(OK));
    test("on one side only is a dead tunnel", () =>
        expect(joined(secret, undefined)).toMatchObject({ reason: "preshared-key" }));
    test("that is garbage is silently none", () => expect(joined("garbage", undefined)).toMatchObject(OK));
});

describe("E13: two Peers with one network", () => {
    test("it goes to the first by name, and a stale one that sorts first takes it away", () => {
        const stale = peer("b9", { name: "b-old", allowedIPs: [podsOf("b1")] });
        const model = kiloModel({ ...pair(), a: cluster([node("a1")], [peer("b1", { name: "b-young" }), stale]) });
        expect(networksOf(model, "a1")).toEqual({ "b-old": [podsOf("b1")], "b-young": [] });
        expect(model.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "nobody-has-key" });
    });

    test("nested networks stay beside each other: the longest wins, nothing is reconfigured", () => {
        const wide = peer("c1", { allowedIPs: ["10.2.0.0/16", podsOf("c1")] });
        const model = kiloModel({ ...pair(), a: cluster([node("a1")], [peer("b1"), wide]) });
        expect(model.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
        expect(model.wireguard("a", "a1").churns).toBe(false);
    });
});

test("E15: a Peer with neither endpoint nor keepalive loses what it learnt every 30 seconds", () => {
    const b = cluster([node("b1", { annotations: { "persistent-keepalive": "10" } })], [peer("a1")]);
    const reach = (persistentKeepalive: number) =>
        kiloModel({ a: cluster([node("a1")], [peerWithoutEndpoint("b1", { persistentKeepalive })]), b }).reach(
            pod("a1"),
            pod("b1"),
        );
    expect(reach(0)).toMatchObject({ reason: "learnt-endpoint-wiped", where: ref("a1") });
    expect(reach(25)).toMatchObject(OK);
});

describe("E17: clusters on one WireGuard subnet", () => {
    const subnet = (name: string) => node(name, { annotations: { "wireguard-ip": "10.4.0.1/16" } });
    const nodes = { a: [subnet("a1"), subnet("a2")], b: [subnet("b1")] };
    const b = cluster(nodes.b, [peer("a1"), peer("a2")]);

    test("with WireGuard addresses in allowedIPs pods work, and WireGuard is reconfigured without end", () => {
        const a = cluster(nodes.a, [peer("b1", { allowedIPs: [podsOf("b1"), "10.4.0.1/32"] })]);
        const model = kiloModel({ a, b });
        expect(model.reach(pod("a2"), pod("b1"))).toMatchObject(OK);
        expect(model.wireguard("a", "a2").churns).toBe(true);
        expect(model.reach(pod("a2"), { cluster: "a", address: "10.4.0.1" })).toMatchObject({
            reason: "network-contested",
        });
    });

    test("without them everything works, traffic of hosts too, and nothing is reconfigured", () => {
        const hosts = (name: string) => peer(name, { allowedIPs: [podsOf(name), `${internalOf(name)}/32`] });
        const model = kiloModel({ a: cluster(nodes.a, [hosts("b1")]), b: cluster(nodes.b, ["a1", "a2"].map(hosts)) });
        expect(model.reach(host("a2"), pod("b1"))).toMatchObject(OK);
        expect(model.reach(host("b1"), host("a1"))).toMatchObject(OK);
        expect(model.wireguard("a", "a2").churns).toBe(false);
    });
});

test("an invalid Peer is skipped silently, the others are not", () => {
    const a = cluster([node("a1")], [peer("b1"), peer("c1", { allowedIPs: ["10.3.1.0"] })]);
    const model = kiloModel({ ...pair(), a });
    expect(model.wireguard("a", "a1").peers.map(({ name }) => name)).toEqual(["b1"]);
    expect(model.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
});

test("every allowedIP is a route on every node: into the tunnel on leaders, to the leader on others", () => {
    const model = kiloModel({ ...pair(), a: cluster([located("a1"), located("a2")], [peer("b1")]) });
    expect(model.routes("a", "a1")).toMatchObject({ [podsOf("b1")]: "tunnel", [podsOf("a2")]: "neighbour a2" });
    expect(model.routes("a", "a2")).toMatchObject({ [podsOf("b1")]: "leader a1", [podsOf("a1")]: "neighbour a1" });
    expect(model.wireguard("a", "a2").peers).toEqual([]);
});

test("clusters that share a third one do not reach each other through it", () => {
    const clusters = {
        a: cluster([node("a1")], [peer("b1")]),
        b: cluster([node("b1")], [peer("a1"), peer("c1")]),
        c: cluster([node("c1")], [peer("b1")]),
    };
    expect(kiloModel(clusters).reach(pod("a1"), pod("c1"))).toMatchObject({ reason: "no-route", where: ref("a1") });
    const through = { ...clusters, a: cluster([node("a1")], [peer("b1", { carries: ["b1", "c1"] })]) };
    expect(kiloModel(through).reach(pod("a1"), pod("c1"))).toMatchObject({
        reason: "source-refused",
        where: ref("c1"),
    });
});

test("a service range is reached on the one Peer that carries it", () => {
    const a = cluster([node("a1")], [peer("b1", { allowedIPs: [podsOf("b1"), "10.96.0.0/16"] }), peer("b2")]);
    const model = kiloModel({ a, b: cluster([node("b1"), node("b2")], [peer("a1")]) });
    expect(model.reach(pod("a1"), { cluster: "b", address: "10.96.0.10" })).toMatchObject({
        ok: true,
        there: [ref("a1"), ref("b1")],
    });
    expect(model.reach(pod("a1"), { cluster: "b", address: "10.97.0.10" })).toMatchObject({ reason: "no-route" });
});

const networksOf = (model: KiloModel, name: string) =>
    Object.fromEntries(model.wireguard(name.charAt(0), name).peers.map((found) => [found.name, found.allowedIPs]));

const ref = (name: string) => ({ cluster: name.charAt(0), node: name });
