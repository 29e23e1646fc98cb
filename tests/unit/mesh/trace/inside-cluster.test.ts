import { breakOf, internalOf, node, peer, podsOf, traced, way, world } from "./world";

const located = (name: string, location: string | undefined, more: object = {}) =>
    node(name, { granularity: "location", location, ...more });
const crossed = (name: string, location: string | undefined, more: object = {}) =>
    node(name, { granularity: "cross", location, ...more });

describe("a packet inside a cluster", () => {
    test("stays on its node", () => {
        expect(way(traced(world(), "a1", "a1"))).toEqual(["starts a1", "arrives a1"]);
    });

    test("goes through a tunnel to another node, by its pods or its internal IP", () => {
        const found = traced(world(), "a1", "a2");
        expect(way(found)).toEqual(["starts a1", "a1 = 10.1.2.0/24=> a2", "arrives a2"]);
        expect(found.ok).toBe(true);
        expect(found.there.hops[1]).toEqual({
            kind: "tunnel",
            from: { cluster: "a", node: "a1" },
            to: { cluster: "a", node: "a2" },
            network: "10.1.2.0/24",
            allowedIPs: [],
            seenBy: { from: false, to: false },
        });
        expect(way(traced(world(), "a1", "a2", internalOf("a2")))[1]).toBe("a1 = 172.16.1.2/32=> a2");
    });

    test("has no way to the second pod CIDR of a node, nor to an internal IP that it does not have", () => {
        const nodes = [node("a1"), node("a2", { podCIDRs: [podsOf("a2"), "fd00::/64"], kiloInternalIP: undefined })];
        expect(breakOf(traced(world({ a: { nodes } }), "a1", "a2", "fd00::5"))?.code).toBe("NoRoute");
        expect(breakOf(traced(world({ a: { nodes } }), "a1", "a2", internalOf("a2")))?.code).toBe("NoRoute");
        expect(way(traced(world({ a: { nodes } }), "a2", "a2", "fd00::5"))).toEqual(["starts a2", "arrives a2"]);
    });

    test("has no way to a node that Kilo does not count on", () => {
        const nodes = [node("a1"), node("a2", { stale: true })];
        expect(breakOf(traced(world({ a: { nodes } }), "a1", "a2"))?.code).toBe("NoRoute");
    });

    test("needs no tunnel in a location, and only the leader has tunnels out of it", () => {
        const nodes = [located("a1", "x", { leader: true }), located("a2", "x"), located("a3", "y")];
        const input = world({ a: { nodes }, b: { peers: [peer("a1", { allowedIPs: ["10.1.0.0/16"] })] } });
        expect(way(traced(input, "a2", "a1"))).toEqual(["starts a2", "neighbour a1", "arrives a1"]);
        expect(way(traced(input, "a2", "a3"))).toEqual([
            "starts a2",
            "leader a1",
            "a1 = 10.1.3.0/24=> a3",
            "arrives a3",
        ]);
        expect(way(traced(input, "a3", "a2"))).toEqual([
            "starts a3",
            "a3 = 10.1.2.0/24=> a1",
            "neighbour a2",
            "arrives a2",
        ]);
        expect(way(traced(input, "a2", "b1"))).toEqual([
            "starts a2",
            "leader a1",
            "a1 = peer-b1 10.2.1.0/24=> b1",
            "arrives b1",
        ]);
    });

    test.each<[string, readonly ReturnType<typeof node>[], boolean]>([
        ["with cross granularity in one location", [crossed("a1", "x"), crossed("a2", "x")], true],
        ["with cross granularity without locations", [crossed("a1", undefined), crossed("a2", "")], true],
        ["with cross granularity and an empty location", [crossed("a1", ""), crossed("a2", undefined)], true],
        ["with cross granularity in two locations", [crossed("a1", "x"), crossed("a2", "y")], false],
        [
            "with full granularity in one location",
            [node("a1", { location: "x" }), node("a2", { location: "x" })],
            false,
        ],
        ["without an internal IP here", [crossed("a1", "x", { kiloInternalIP: undefined }), crossed("a2", "x")], false],
        ["without one there", [crossed("a1", "x"), crossed("a2", "x", { kiloInternalIP: undefined })], false],
    ])("to a neighbour needs no tunnel, but any other node does: %s", (_, nodes, isNear) => {
        expect(way(traced(world({ a: { nodes } }), "a1", "a2"))[1]).toBe(
            isNear ? "neighbour a2" : "a1 = 10.1.2.0/24=> a2",
        );
    });
});

describe("the neighbours of a node", () => {
    test("are reached without a tunnel, each by its own pods", () => {
        const nodes = [crossed("a1", "x"), crossed("a2", "x"), crossed("a3", "x")];
        expect(way(traced(world({ a: { nodes } }), "a1", "a3"))[1]).toBe("neighbour a3");
    });

    test("are those that Kilo counts on", () => {
        const nodes = [crossed("a1", "x"), crossed("a2", "x", { stale: true })];
        expect(breakOf(traced(world({ a: { nodes } }), "a1", "a2"))?.code).toBe("NoRoute");
    });

    test("lose to a route into a tunnel that is as long as theirs, or longer", () => {
        const nodes = [crossed("a1", "x"), crossed("a2", "x")];
        for (const cidr of [podsOf("a2"), "10.1.2.0/25"]) {
            const input = world({ a: { nodes, peers: [peer("b1", { allowedIPs: [cidr] })] } });
            expect(way(traced(input, "a1", "a2"))[1]).toBe(`a1 = peer-b1 ${cidr}=> b1`);
        }
    });
});
