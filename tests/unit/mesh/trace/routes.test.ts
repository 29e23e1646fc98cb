import { breakOf, internalOf, keyOf, node, peer, podsOf, traced, way, world } from "./world";

describe("a packet between clusters", () => {
    test("goes through the tunnel whose networks have its address, and so does the answer", () => {
        expect(traced(world(), "a1", "b1")).toEqual({
            there: {
                hops: [
                    { kind: "starts", cluster: "a", node: "a1" },
                    {
                        kind: "tunnel",
                        from: { cluster: "a", node: "a1" },
                        to: { cluster: "b", node: "b1" },
                        peer: "peer-b1",
                        network: "10.2.1.0/24",
                        endpoint: "192.0.2.21:51820",
                        allowedIPs: ["10.2.1.0/24"],
                        accepted: "peer-a1",
                        seenBy: { from: false, to: false },
                    },
                    { kind: "arrives", cluster: "b", node: "b1" },
                ],
            },
            back: {
                hops: [
                    { kind: "starts", cluster: "b", node: "b1" },
                    expect.objectContaining({ kind: "tunnel", peer: "peer-a1", accepted: "peer-b1" }),
                    { kind: "arrives", cluster: "a", node: "a1" },
                ],
            },
            ok: true,
            seen: false,
        });
    });

    test("was seen where both ends of each tunnel had a handshake, there and back", () => {
        const seen = (a: readonly string[], b: readonly string[]) =>
            traced(world({ a: { seen: { a1: a } }, b: { seen: { b1: b } } }), "a1", "b1").seen;
        expect(seen(["b1"], ["a1"])).toBe(true);
        expect(seen(["b1"], [])).toBe(false);
        expect(seen([], ["a1"])).toBe(false);
        expect(seen(["b2"], ["a2"])).toBe(false);
    });

    test("takes the longest prefix, whichever peer comes first", () => {
        const wide = (of: string) => peer(of, { allowedIPs: [podsOf(of), "10.0.0.0/8"] });
        for (const peers of [
            [wide("b1"), peer("b2")],
            [peer("b1"), wide("b2")],
        ]) {
            expect(way(traced(world({ a: { peers } }), "a1", "b1"))[1]).toBe("a1 = peer-b1 10.2.1.0/24=> b1");
            expect(way(traced(world({ a: { peers } }), "a1", "b2"))[1]).toBe("a1 = peer-b2 10.2.2.0/24=> b2");
        }
    });

    test("to a service ends at the node that has no further route to it", () => {
        const peers = [peer("b1", { allowedIPs: [podsOf("b1"), "10.96.0.0/16"] })];
        const found = traced(world({ a: { peers } }), "a1", "b", "10.96.0.1");
        expect(way(found)).toEqual(["starts a1", "a1 = peer-b1 10.96.0.0/16=> b1", "arrives b1"]);
        expect(found.ok).toBe(true);
    });

    test("to an address of a node that is no pod ends there", () => {
        const peers = [peer("b1", { allowedIPs: [`${internalOf("b1")}/32`] })];
        expect(way(traced(world({ a: { peers } }), "a1", "b1", internalOf("b1")))).toEqual([
            "starts a1",
            "a1 = peer-b1 172.16.2.1/32=> b1",
            "arrives b1",
        ]);
    });

    test("has no way where no peer has its address", () => {
        expect(breakOf(traced(world({ a: { peers: [] } }), "a1", "b1"))).toEqual({
            code: "NoRoute",
            at: { cluster: "a", node: "a1" },
            message: "no peer in a covers 10.2.1.5",
        });
        expect(traced(world({ a: { peers: [] } }), "a1", "b1")).toMatchObject({ ok: false, seen: false });
        expect(breakOf(traced(world(), "a1", "b", "10.96.0.1"))?.code).toBe("NoRoute");
        expect(breakOf(traced(world({ b: { peers: [] } }), "a1", "b1"))?.code).toBe("PeerMissing");
    });

    test("that comes to a node which has the address but is another one is lost", () => {
        expect(breakOf(traced(world(), "a1", "b2", "10.2.1.5"))).toMatchObject({
            code: "WrongNode",
            at: { cluster: "b", node: "b1" },
            message: "b1 takes 10.2.1.5 for its own: it has 10.2.1.0/24",
        });
        expect(breakOf(traced(world(), "a1", "c1", "10.2.1.5"))?.code).toBe("WrongNode");
    });

    test("is not delivered by a node of that name in another cluster", () => {
        const input = world({
            a: { peers: [peer("b1", { allowedIPs: ["10.9.0.0/16"] })] },
            b: { nodes: [node("b1", { name: "c1" })] },
        });
        expect(breakOf(traced(input, "a1", "c1", "10.9.0.1"))?.code).toBe("NoRoute");
    });

    test("takes a default route where nothing else has its address", () => {
        const peers = [peer("b1", { allowedIPs: ["0.0.0.0/0"], endpoint: null, persistentKeepalive: 25 })];
        const input = world({ a: { peers }, b: { nodes: [node("b1", { dials: true })] } });
        expect(way(traced(input, "a1", "b1"))[1]).toBe("a1 = peer-b1 0.0.0.0/0=> b1");
    });

    test("whose answer does not come back is no connection", () => {
        const peers = [peer("b1"), peer("b2", { allowedIPs: [podsOf("a1")] })];
        const found = traced(world({ a: { peers } }), "a1", "b1");
        expect(found.there.breaks).toBeUndefined();
        expect(found).toMatchObject({ ok: false, seen: false, back: { breaks: { code: "OwnNetworkReplaced" } } });
    });

    test("that is sent back and forth is lost", () => {
        const round = (of: string) => peer(of, { allowedIPs: [podsOf(of), "10.0.0.0/8"] });
        const input = world({ a: { peers: [round("b1")] }, b: { peers: [round("a1")] } });
        const found = traced(input, "a1", "c1", "10.9.0.1");
        expect(breakOf(found)).toMatchObject({ code: "RoutingLoop", message: "the packet goes round in circles" });
        expect(found.there.hops).toHaveLength(9);
    });
});

describe("what Kilo makes of peers", () => {
    test("it skips a peer that it cannot read", () => {
        for (const bad of [peer("b1", { publicKey: "junk" }), peer("b1", { allowedIPs: [podsOf("b1"), "junk"] })]) {
            expect(breakOf(traced(world({ a: { peers: [bad] } }), "a1", "b1"))?.code).toBe("NoRoute");
        }
    });

    test("of two with one key it has the last by name", () => {
        const first = peer("b1", { name: "x" });
        const last = peer("b1", { name: "y", allowedIPs: ["10.2.1.0/25"] });
        for (const peers of [
            [first, last],
            [last, first],
        ]) {
            expect(way(traced(world({ a: { peers } }), "a1", "b1"))[1]).toBe("a1 = y 10.2.1.0/25=> b1");
        }
    });

    test("of two with one network the first by name has it, also where it has another name than the key had first", () => {
        const shared = { allowedIPs: [podsOf("b1")] };
        const peers = [peer("b2", { name: "p1" }), peer("b1", { name: "p2", ...shared })];
        const last = peer("b2", { name: "p3", ...shared });
        expect(way(traced(world({ a: { peers: [...peers, last] } }), "a1", "b1"))[1]).toBe("a1 = p2 10.2.1.0/24=> b1");
        const [p1, p2] = [peer("b2", { name: "p1", ...shared }), peers[1]!];
        expect(way(traced(world({ a: { peers: [p2, p1] } }), "a1", "b1"))[1]).toBe("a1 = p1 10.2.1.0/24=> b2");
    });

    test.each<[string, object, object]>([
        ["of a peer", { peers: [peer("b1", { endpoint: { dnsOrIP: { dns: "gw.example" }, port: 1 } })] }, {}],
        ["that was forced on a node", { nodes: [node("a1"), node("a2", { forceEndpoint: "gw.example:1" })] }, {}],
        ["that Kilo found for a node", { nodes: [node("a1"), node("a2", { kiloEndpoint: "gw.example:1" })] }, {}],
    ])("a name %s that has no address stops it from configuring anything", (_, parts) => {
        const found = traced(world({ a: parts }, { unresolvable: ["gw.example"] }), "a1", "b1");
        expect(breakOf(found)).toEqual({
            code: "Frozen",
            at: { cluster: "a", node: "a1" },
            message: "Kilo configures nothing in a while the name gw.example has no address",
        });
        expect(breakOf(traced(world({ a: parts }), "a1", "b1"))?.code).not.toBe("Frozen");
    });

    test("a name that nothing depends on stops nothing", () => {
        const forced = node("a2", { forceEndpoint: "192.0.2.9:1", kiloEndpoint: "gw.example:1" });
        const late = node("a2", { kiloEndpoint: "gw.example:1", stale: true });
        for (const other of [forced, late]) {
            const nodes = [node("a1"), other];
            expect(traced(world({ a: { nodes } }, { unresolvable: ["gw.example"] }), "a1", "b1").ok).toBe(true);
        }
    });
});

describe("a network that two have", () => {
    test("is lost to the node itself where another route is as long, or longer", () => {
        for (const cidr of [podsOf("b1"), "10.2.1.0/25"]) {
            const peers = [peer("a1", { allowedIPs: [podsOf("a1"), cidr] }), peer("a2")];
            expect(breakOf(traced(world({ b: { peers } }), "a1", "b1"))).toEqual({
                code: "OwnNetworkReplaced",
                at: { cluster: "b", node: "b1" },
                message: "a route to peer peer-a1 took the place of the node's own network 10.2.1.0/24",
            });
        }
        const wider = [peer("a1", { allowedIPs: [podsOf("a1"), "10.2.0.0/16"] }), peer("a2")];
        expect(traced(world({ b: { peers: wider } }), "a1", "b1").ok).toBe(true);
    });

    test("is lost to a neighbour of the node in the same way", () => {
        const crossed = { granularity: "cross", location: "x" };
        const nodes = [node("b1", crossed), node("b2", { ...crossed, podCIDRs: ["10.2.1.0/25"] })];
        expect(breakOf(traced(world({ b: { nodes } }), "a1", "b1"))?.message).toBe(
            "a route to node b2 took the place of the node's own network 10.2.1.0/24",
        );
    });

    test("goes to one of them where a peer has what a node of the cluster has", () => {
        const peers = [peer("b1", { allowedIPs: [podsOf("a2")] })];
        expect(breakOf(traced(world({ a: { peers } }), "a1", "a2"))).toEqual({
            code: "NetworkContested",
            at: { cluster: "a", node: "a1" },
            message:
                "the cluster's own node a2 and peer peer-b1 both have 10.1.2.0/24: only one of them gets the packet",
            peer: "peer-b1",
        });
    });

    test("goes to one of them where two nodes of the cluster have it", () => {
        const nodes = [node("a1"), node("a2"), node("a3", { podCIDRs: [podsOf("a2")] })];
        expect(breakOf(traced(world({ a: { nodes } }), "a1", "a2"))).toEqual({
            code: "NetworkContested",
            at: { cluster: "a", node: "a1" },
            message:
                "the cluster's own node a2 and the cluster's own node a3 both have 10.1.2.0/24: only one of them gets the packet",
        });
    });

    test("goes nowhere where the peer has the key of the node itself", () => {
        const peers = [peer("b1", { publicKey: keyOf("a1") })];
        expect(breakOf(traced(world({ a: { peers } }), "a1", "b1"))).toEqual({
            code: "PeerOfOwnNode",
            at: { cluster: "a", node: "a1" },
            message: "peer-b1 has the key of a1 itself, and WireGuard makes no peer of it",
            peer: "peer-b1",
        });
    });
});
