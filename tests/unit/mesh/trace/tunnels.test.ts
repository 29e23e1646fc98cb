import { breakOf, keyOf, node, type Parts, type PeerParts, peer, podsOf, traced, world } from "./world";

/** What breaks between a1 and b1 with these clusters. */
const between = (parts: Readonly<Record<string, Parts>>, resolved = {}) =>
    breakOf(traced(world(parts, { resolved }), "a1", "b1"));
const located = (name: string, more: object = {}) => node(name, { granularity: "location", location: "x", ...more });
const only = (name: string, more: PeerParts = {}): Parts => ({ peers: [peer(name, more)] });

describe("a tunnel is closed", () => {
    test("at a node that Kilo does not count on, at its own end or at the other", () => {
        expect(between({ a: { nodes: [node("a1", { stale: true })] } })).toEqual({
            code: "NodeNotReady",
            at: { cluster: "a", node: "a1" },
            message: "a1 is not ready: Kilo has not seen it for a minute or more",
        });
        expect(between({ b: { nodes: [node("b1", { stale: true })] } })).toEqual({
            code: "NodeNotReady",
            at: { cluster: "b", node: "b1" },
            message: "peer-b1 in a leads to it, and it is not ready: Kilo has not seen it for a minute or more",
            via: "a",
        });
    });

    test("at a node that does not lead its location", () => {
        expect(between({ b: { nodes: [located("b1"), located("b2", { leader: true })] } })).toEqual({
            code: "NotLeader",
            at: { cluster: "b", node: "b1" },
            message: "peer-b1 in a leads to b1, which has no tunnels: b2 leads its location",
            via: "a",
        });
    });

    test("where nobody has the key of the peer", () => {
        expect(between({ a: only("b1", { publicKey: keyOf("c9") }) })).toEqual({
            code: "NobodyHasKey",
            at: { cluster: "a", node: "a1" },
            message: "no node of a cluster that could be read has the key of peer-b1",
            peer: "peer-b1",
        });
    });

    test("where the other cluster has no peer for this node", () => {
        expect(between({ b: only("a2") })).toEqual({
            code: "PeerMissing",
            at: { cluster: "b", node: "b1" },
            message: "b has no peer with the key of a/a1",
        });
    });

    test("where one of two peers has a preshared key, and not where both have", () => {
        const secret = { unexpected: ["presharedKey"] };
        expect(between({ a: only("b1", secret) })).toEqual({
            code: "PresharedKey",
            at: { cluster: "a", node: "a1" },
            message: "only one of peer-b1 and peer-a1 has a preshared key",
            peer: "peer-b1",
        });
        expect(between({ b: only("a1", secret) })?.code).toBe("PresharedKey");
        expect(between({ a: only("b1", secret), b: only("a1", secret) })).toBeUndefined();
        expect(between({ a: only("b1", { unexpected: ["mtu"] }) })).toBeUndefined();
    });

    test("where it is closed at every node that has the key of the peer: the first is named", () => {
        const { key, kiloEndpoint, podCIDRs } = node("b1");
        const twin = node("b2", { key, kiloEndpoint, podCIDRs });
        const gone = node("b1", { stale: true });
        const to = (...nodes: Parts["nodes"] & object) => traced(world({ b: { nodes } }), "a1", "b2", "10.2.1.5");
        expect(to(gone, twin).ok).toBe(true);
        expect(breakOf(to(gone, { ...twin, stale: true }))?.at.node).toBe("b1");
    });
});

describe("an endpoint inside a tunnel can never be reached", () => {
    const inside = (ip: string) => ({ endpoint: { dnsOrIP: { ip }, port: 51820 } });

    test("at either end, in a network of a peer or in the pods of a node", () => {
        expect(between({ a: only("b1", { allowedIPs: [podsOf("b1"), "192.0.2.0/24"] }) })).toEqual({
            code: "EndpointInTunnel",
            at: { cluster: "a", node: "a1" },
            message: "the endpoint 192.0.2.21:51820 of peer-b1 is itself routed into a tunnel, by 192.0.2.0/24",
            peer: "peer-b1",
        });
        expect(between({ a: only("b1", inside("10.1.2.9")) })?.message).toBe(
            "the endpoint 10.1.2.9:51820 of peer-b1 is itself routed into a tunnel, by 10.1.2.0/24",
        );
        expect(between({ b: only("a1", { allowedIPs: [podsOf("a1"), "192.0.2.0/24"] }) })).toMatchObject({
            code: "EndpointInTunnel",
            at: { cluster: "b", node: "b1" },
            peer: "peer-a1",
        });
    });

    test("by its address where it is a name, as far as that is known", () => {
        const named = {
            a: only("b1", { endpoint: { dnsOrIP: { dns: "gw.example" }, port: 1 }, allowedIPs: ["10.2.0.0/16"] }),
        };
        expect(between(named, { "gw.example": "10.2.9.9" })?.code).toBe("EndpointInTunnel");
        expect(between(named, { "gw.example": "192.0.2.1" })?.code).not.toBe("EndpointInTunnel");
        expect(between(named)?.code).not.toBe("EndpointInTunnel");
    });

    test("but Kilo routes no internal IP of a node into a tunnel that is one", () => {
        const nodes = [node("a1"), node("a2", { kiloInternalIP: "192.0.2.21" })];
        expect(between({ a: { nodes } })).toBeUndefined();
        expect(between({ a: only("b1", { allowedIPs: [podsOf("b1"), "192.0.2.21/32"] }) })?.code).toBe(
            "EndpointInTunnel",
        );
    });
});

describe("somebody has to dial", () => {
    const passive = { endpoint: null, persistentKeepalive: 25 };
    const dials = [node("b1", { dials: true })];

    test("neither can where neither peer has an endpoint that leads to the other", () => {
        expect(between({ a: only("b1", passive), b: only("a1", { endpoint: null }) })).toEqual({
            code: "NoEndpoint",
            at: { cluster: "a", node: "a1" },
            message: "neither end can dial the other: peer-b1 has no endpoint, peer-a1 in b has no endpoint",
            peer: "peer-b1",
        });
        const elsewhere = { endpoint: { dnsOrIP: { ip: "198.51.100.1" }, port: 51820 } };
        expect(between({ a: only("b1", elsewhere), b: only("a1", passive) })?.message).toBe(
            "neither end can dial the other: peer-b1 has 198.51.100.1:51820, peer-a1 in b has no endpoint",
        );
    });

    test("the other end does if it has keepalive; without, the tunnel waits for it to have something to send", () => {
        expect(between({ a: only("b1", passive), b: { nodes: dials } })).toBeUndefined();
        expect(between({ a: only("b1", passive) })).toEqual({
            code: "NobodyDials",
            at: { cluster: "b", node: "b1" },
            message:
                "a1 cannot dial b1, and b1 has no kilo.squat.ai/persistent-keepalive: the tunnel opens only when it has something to send",
        });
    });

    test("an answer goes through the tunnel that is open", () => {
        expect(between({ b: only("a1", passive) })).toBeUndefined();
    });

    test("it is open where one of both had a handshake with the other", () => {
        const a = only("b1", { endpoint: { dnsOrIP: { ip: "198.51.100.1" }, port: 1 }, persistentKeepalive: 25 });
        expect(between({ a })?.code).toBe("NobodyDials");
        expect(between({ a: { ...a, seen: { a1: ["b1"] } } })).toBeUndefined();
        expect(between({ a, b: { seen: { b1: ["a1"] } } })).toBeUndefined();
        expect(between({ a, b: { seen: { b2: ["a1"] } } })?.code).toBe("NobodyDials");
    });

    test("what was learnt is reset every 30 seconds where the peer has no keepalive, at either end", () => {
        expect(between({ a: only("b1", { endpoint: null }), b: { nodes: dials } })).toEqual({
            code: "EndpointReset",
            at: { cluster: "a", node: "a1" },
            message: "peer-b1 has no endpoint and no keepalive: Kilo takes the way back away every 30 seconds",
            peer: "peer-b1",
        });
        expect(between({ b: only("a1", { endpoint: null }) })).toMatchObject({
            code: "EndpointReset",
            at: { cluster: "b", node: "b1" },
            peer: "peer-a1",
        });
    });
});

describe("an endpoint leads to a node", () => {
    /** Whether b can dial a1 by this peer, when a1 cannot dial. */
    const opens = (mine: PeerParts, a: Parts = {}, b: Parts = {}) =>
        between({
            a: { peers: [peer("b1", { endpoint: null, persistentKeepalive: 25 })], ...a },
            b: {
                nodes: [node("b1", { dials: true })],
                peers: [peer("a1", { persistentKeepalive: 25, ...mine })],
                ...b,
            },
        })?.code !== "NoEndpoint";
    const at = (ip: string, port = 51820) => ({ endpoint: { dnsOrIP: { ip }, port } });
    const a1 = (more: object): Parts => ({ nodes: [node("a1", more)] });

    test("that Kilo or somebody says it has", () => {
        expect(opens({})).toBe(true);
        expect(opens(at("198.51.100.1"))).toBe(false);
        expect(opens(at("198.51.100.1"), a1({ forceEndpoint: "198.51.100.1:51820" }))).toBe(true);
        expect(opens({}, a1({ forceEndpoint: "198.51.100.1:51820" }))).toBe(true);
        expect(opens(at("198.51.100.1"), a1({ clustermeshEndpoint: "198.51.100.1:51820" }))).toBe(true);
        const named = { endpoint: { dnsOrIP: { dns: "gw.example" }, port: 1 } };
        expect(opens(named, a1({ forceEndpoint: "gw.example:1" }))).toBe(true);
        expect(opens(named, a1({ forceEndpoint: "gw.example:2" }))).toBe(false);
    });

    test("with an address of the node, if a port of its own goes with it", () => {
        expect(opens(at("172.16.1.1"))).toBe(true);
        expect(opens(at("172.16.1.1", 1))).toBe(false);
        expect(opens(at("172.16.1.1"), a1({ externalIPs: ["203.0.113.7"] }))).toBe(true);
        expect(opens(at("203.0.113.7"), a1({ externalIPs: ["203.0.113.7"] }))).toBe(true);
    });

    test("behind NAT only where it was adopted, or learnt and kept", () => {
        expect(opens({}, { nat: true })).toBe(false);
        expect(opens({ configured: "none" }, { nat: true })).toBe(true);
        expect(opens({ endpoint: null })).toBe(false);
        expect(opens({ endpoint: null }, {}, { seen: { b2: ["a1"] } })).toBe(true);
        expect(opens({ endpoint: null }, {}, { seen: { b1: ["a2"] } })).toBe(false);
    });

    test("that was learnt only while the peer may roam", () => {
        const learnt = {
            a: only("b1", { endpoint: null }),
            b: { ...only("a1", { endpoint: null }), seen: { b1: ["a1"] } },
        };
        expect(between(learnt)?.code).toBe("NoEndpoint");
    });
});

describe("WireGuard takes a packet only from the peer that has its source", () => {
    test("a source that no peer has is refused", () => {
        expect(between({ b: only("a1", { allowedIPs: ["10.9.0.0/16"] }) })).toEqual({
            code: "SourceRefused",
            at: { cluster: "b", node: "b1" },
            message: "b1 refuses 10.1.1.5 from a1: no peer there covers it",
        });
    });

    test("a source that another peer, or a node of the cluster itself, has is refused", () => {
        const peers = [peer("a1", { allowedIPs: ["10.9.0.0/16"] }), peer("a2", { allowedIPs: [podsOf("a1")] })];
        expect(between({ b: { peers } })).toEqual({
            code: "SourceRefused",
            at: { cluster: "b", node: "b1" },
            message: "b1 refuses 10.1.1.5 from a1: 10.1.1.0/24 is what peer peer-a2 may send",
            peer: "peer-a2",
        });
        const nodes = [node("b1"), node("b2", { podCIDRs: [podsOf("a1")] })];
        expect(between({ b: { nodes } })).toEqual({
            code: "SourceRefused",
            at: { cluster: "b", node: "b1" },
            message:
                "b1 refuses 10.1.1.5 from a1: 10.1.1.0/24 is what the cluster's own node b2 and peer peer-a1 may send",
        });
    });
});
