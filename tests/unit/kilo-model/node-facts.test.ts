import { checkIn, cleanStop, type Self } from "../../support/kilo-model/check-in";
import { DataPlane } from "../../support/kilo-model/data-plane";
import { kiloModel } from "../../support/kilo-model/kilo-model";
import type { NodeObject } from "../../support/kilo-model/objects";
import { cluster, endpointOf, internalOf, keyOf, located, NOW, node, pair, peer, pod, podsOf } from "./world";

/** Facts of docs/kilo.md about nodes: readiness, segments, leaders, and what an agent writes on its Node. */

const self: Self = {
    key: keyOf("a1"),
    endpoint: `${endpointOf("a1")}:51820`,
    internalIP: `${internalOf("a1")}/24`,
    granularity: "full",
    now: NOW,
};

describe("a node is ready", () => {
    const why = (more: Parameters<typeof node>[1]) =>
        kiloModel({ a: cluster([node("a1", more)]) }, { now: NOW }).notReady("a");

    test.each([
        ["no-endpoint", { annotations: { endpoint: undefined } }],
        ["no-endpoint", { annotations: { endpoint: "198.51.100.1" } }],
        ["no-key", { annotations: { key: "" } }],
        ["no-key", { annotations: { key: `${"A".repeat(43)}=` } }],
        ["no-pod-cidr", { podCIDRs: ["10.1.1.0"] }],
        ["not-seen", { annotations: { "last-seen": String(NOW - 60) } }],
        ["not-seen", { annotations: { "last-seen": undefined } }],
    ])("not with %s: %j", (reason, more) => expect(why(more)).toEqual({ a1: reason }));

    test("for 60 seconds after it was seen", () => {
        expect(why({ annotations: { "last-seen": String(NOW - 59) } })).toEqual({});
    });

    test("in the eyes of its own cluster's clock", () => {
        const objects = { a: cluster([node("a1")]), b: cluster([node("b1")]) };
        expect(kiloModel(objects, { now: { a: NOW + 100, b: NOW } }).notReady("b")).toEqual({});
        expect(kiloModel(objects, { now: { a: NOW + 100, b: NOW } }).notReady("a")).toEqual({ a1: "not-seen" });
    });

    test("E22: a Node without any annotation has no agent that survives", () => {
        const bare: NodeObject = { metadata: { name: "a1" }, spec: { podCIDR: podsOf("a1") } };
        expect(checkIn(bare, self)).toBe("panic");
        expect(kiloModel({ a: cluster([bare]) }).notReady("a")).toEqual({ a1: "no-annotations" });
    });
});

test("a node that is not ready is out of the topology, whatever Peers say", () => {
    const { a, b } = pair();
    const gone = { ...b, nodes: [node("b1", { annotations: { key: "" } })] };
    expect(kiloModel({ a, b: gone }).reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "node-not-ready" });
});

describe("leaders", () => {
    const leaders = (...nodes: readonly NodeObject[]) => kiloModel({ a: cluster(nodes) }, { resolve }).leaders("a");
    const resolve = (name: string) => (name === "public.example" ? "203.0.113.5" : "10.0.0.5");
    const inside = (name: string) => ({ endpoint: `10.0.0.${name.slice(1)}:51820` });

    test.each<[string, string, readonly NodeObject[]]>([
        [
            "a hint with a public address",
            "a3",
            [located("a1"), located("a2", { leader: "", ...inside("a2") }), located("a3", { leader: "" })],
        ],
        ["a hint, whatever it says", "a2", [located("a1"), located("a2", { leader: "false", ...inside("a2") })]],
        ["a public address", "a2", [located("a1", inside("a1")), located("a2")]],
        ["the first by name", "a1", [located("a2", inside("a2")), located("a1", inside("a1"))]],
        [
            "100.64.0.0/10 as public",
            "a2",
            [located("a1", inside("a1")), located("a2", { endpoint: "100.64.0.1:51820" })],
        ],
        [
            "fd01:: as public, fd00:: not",
            "a2",
            [located("a1", { endpoint: "[fd00::1]:51820" }), located("a2", { endpoint: "[fd01::1]:51820" })],
        ],
        [
            "172.16.0.0/12 as not public",
            "a2",
            [located("a1", { endpoint: "172.31.255.1:51820" }), located("a2", { endpoint: "172.32.0.1:51820" })],
        ],
        [
            "the resolved address of a name",
            "a2",
            [located("a1", { endpoint: "private.example:51820" }), located("a2", { endpoint: "public.example:51820" })],
        ],
    ])("%s", (_, leader, nodes) => {
        expect(new Set(Object.values(leaders(...nodes)))).toEqual(new Set([leader]));
    });

    test("are chosen among ready nodes only", () => {
        expect(leaders(located("a1", { key: "" }), located("a2"))).toEqual({ a2: "a2" });
    });

    test("every location has one: the annotation before the label of the region, even when empty", () => {
        const labels = { "topology.kubernetes.io/region": "eu" };
        const labelled = (name: string, annotations: Record<string, string> = {}) =>
            node(name, { labels, annotations: { granularity: "location", ...annotations } });
        expect(leaders(labelled("a1"), labelled("a2", { location: "" }), located("a3"), labelled("a4"))).toEqual({
            a1: "a1",
            a2: "a2",
            a3: "a2",
            a4: "a1",
        });
    });

    test("a node without an internal address leads itself", () => {
        expect(leaders(located("a1"), located("a2", { "force-internal-ip": "-" }), located("a3"))).toEqual({
            a1: "a1",
            a2: "a2",
            a3: "a1",
        });
    });

    test("in a full or cross mesh every node leads itself", () => {
        expect(leaders(node("a1"), node("a2"))).toEqual({ a1: "a1", a2: "a2" });
        const cross = (name: string) => node(name, { annotations: { granularity: "cross" } });
        expect(leaders(cross("a1"), cross("a2"))).toEqual({ a1: "a1", a2: "a2" });
    });
});

describe("inside a cluster", () => {
    const east = (name: string) => located(name, { location: "east" });

    test("pods of two locations reach each other through both leaders", () => {
        const model = kiloModel({ a: cluster([located("a1"), located("a2"), east("a3"), east("a4")]) });
        const nodes = ["a2", "a1", "a3", "a4"].map((name) => ({ cluster: "a", node: name }));
        expect(model.reach(pod("a2"), pod("a4"))).toEqual({ ok: true, there: nodes, back: nodes.toReversed() });
    });

    test("in a cross mesh nodes of one location talk plainly, others by a tunnel of their own", () => {
        const cross = (name: string, location: string) =>
            node(name, { annotations: { granularity: "cross", location } });
        const model = kiloModel({ a: cluster([cross("a1", "w"), cross("a2", "w"), cross("a3", "e")]) });
        expect(model.routes("a", "a1")).toMatchObject({ [podsOf("a2")]: "neighbour a2", [podsOf("a3")]: "tunnel" });
        expect(model.reach(pod("a2"), pod("a3"))).toMatchObject({ ok: true });
    });

    test("allowed-location-ips are routed to their location", () => {
        const model = kiloModel({
            a: cluster([located("a1"), located("a3", { location: "east", "allowed-location-ips": "172.20.0.0/24" })]),
        });
        expect(model.routes("a", "a1")).toMatchObject({ "172.20.0.0/24": "tunnel" });
    });

    test("a Peer of each segment is needed: the leader's key carries the pods of its whole location", () => {
        const clusters = {
            a: cluster([located("a1"), located("a2"), east("a3")], [peer("b1")]),
            b: cluster([node("b1")], [peer("a1", { carries: ["a1", "a2"] }), peer("a3")]),
        };
        const model = kiloModel(clusters);
        for (const name of ["a1", "a2", "a3"]) expect(model.reach(pod("b1"), pod(name))).toMatchObject({ ok: true });
        const notLeader = { ...clusters, b: cluster([node("b1")], [peer("a2", { carries: ["a1", "a2"] })]) };
        expect(kiloModel(notLeader).reach(pod("b1"), pod("a2"))).toMatchObject({
            reason: "not-leader",
            where: { node: "a2" },
        });
    });

    test("only the first pod network is Kilo's: the second is reached where each node has its own tunnel", () => {
        const dual = (name: string, granularity: string) =>
            node(name, { annotations: { granularity }, podCIDRs: [podsOf(name), `fd00:${name}::/64`] });
        const second = (name: string) => ({ ...pod(name), address: `fd00:${name}::2` });
        const sources = (...names: readonly string[]) => names.map((name) => `fd00:${name}::/64`);
        const b = (granularity: string, peers: readonly ReturnType<typeof peer>[]) => ({
            a: cluster([dual("a1", granularity), dual("a2", granularity)], [peer("b1", { allowedIPs: sources("b1") })]),
            b: cluster([dual("b1", "full")], peers),
        });
        const full = b("full", [peer("a1", { allowedIPs: sources("a1") }), peer("a2", { allowedIPs: sources("a2") })]);
        expect(kiloModel(full).reach(second("b1"), second("a2"))).toMatchObject({ ok: true });
        const location = b("location", [peer("a1", { allowedIPs: sources("a1", "a2") })]);
        expect(kiloModel(location).reach(second("b1"), second("a1"))).toMatchObject({ ok: true });
        expect(kiloModel(location).reach(second("b1"), second("a2"))).toMatchObject({
            reason: "no-route",
            where: { node: "a1" },
        });
        expect(kiloModel(location, { bothFamiliesInside: true }).reach(second("b1"), second("a2"))).toMatchObject({
            ok: true,
        });
    });
});

describe("internal addresses", () => {
    const segments = (annotations: Record<string, string | undefined>) =>
        kiloModel({ a: cluster([located("a1"), located("a2", annotations)]) }).leaders("a").a2;

    test("E2b: internal-ip stays when force-internal-ip says that there is none, and does not count", () => {
        const written = checkIn(node("a1", { annotations: { "force-internal-ip": "-" } }), self) as NodeObject;
        expect(written.metadata?.annotations?.["kilo.squat.ai/internal-ip"]).toBe(`${internalOf("a1")}/24`);
        expect(segments({ "force-internal-ip": "-" })).toBe("a2");
        expect(segments({ "force-internal-ip": "" })).toBe("a2");
    });

    test("a forced one without a mask is ignored", () =>
        expect(segments({ "force-internal-ip": "192.168.1.9" })).toBe("a1"));
});

describe("wireguard-ip", () => {
    test("is given out over the sorted segments: a node that leaves renumbers those after it", () => {
        const addresses = (...nodes: readonly NodeObject[]) => {
            const model = kiloModel({ a: cluster(nodes) });
            return nodes.map(({ metadata }) => model.wireguard("a", metadata!.name!).wireguardIP);
        };
        expect(addresses(node("a1"), node("a2"), node("a3"))).toEqual(["10.101.0.1", "10.101.0.2", "10.101.0.3"]);
        expect(addresses(node("a1"), node("a3"))).toEqual(["10.101.0.1", "10.101.0.2"]);
    });

    test("is not needed for pods", () => {
        const without = (name: string) => node(name, { annotations: { "wireguard-ip": "" } });
        const clusters = { a: cluster([without("a1")], [peer("b1")]), b: cluster([without("b1")], [peer("a1")]) };
        expect(kiloModel(clusters).reach(pod("a1"), pod("b1"))).toMatchObject({ ok: true });
    });
});

describe("E9: a clean stop", () => {
    test("removes what Kilo wrote and keeps what users wrote; the same comes back with the same key", () => {
        const before = node("a1", { annotations: { location: "eu", "persistent-keepalive": "25" } });
        const stopped = cleanStop(before);
        expect(stopped.metadata?.annotations).toEqual({
            "kilo.squat.ai/location": "eu",
            "kilo.squat.ai/persistent-keepalive": "25",
        });
        const started = checkIn(stopped, { ...self, wireguardIP: "10.101.0.1/16", now: NOW - 10 });
        expect(started).toEqual(before);
    });

    test("leaves WireGuard's peers and takes routes away until the agent is back", () => {
        const { a, b } = pair();
        const plane = new DataPlane({ a, b });
        plane.stop("a", "a1");
        plane.setNode("a", cleanStop(a.nodes[0]!));
        expect(plane.wireguard("a", "a1").peers).toHaveLength(1);
        expect(plane.routes("a", "a1")).not.toHaveProperty([podsOf("b1")]);
        expect(plane.reach(pod("b1"), pod("a1"))).toMatchObject({ reason: "node-not-ready" });
        plane.setNode("a", a.nodes[0]!);
        plane.restart("a", "a1");
        expect(plane.reach(pod("b1"), pod("a1"))).toMatchObject({ ok: true });
    });
});

describe("E12: the endpoint annotation", () => {
    const endpointAfter = (annotations: Record<string, string | undefined>) =>
        (checkIn(node("a1", { annotations }), self) as NodeObject).metadata?.annotations?.["kilo.squat.ai/endpoint"];

    test("keeps a forced value after force-endpoint is gone", () => {
        const forced = endpointAfter({ "force-endpoint": "203.0.113.9:40000" });
        expect(forced).toBe("203.0.113.9:40000");
        expect(endpointAfter({ endpoint: forced })).toBe("203.0.113.9:40000");
    });

    test("is computed only if there is none that can be read", () => {
        expect(endpointAfter({ endpoint: "203.0.113.1:51820" })).toBe("203.0.113.1:51820");
        expect(endpointAfter({ endpoint: "garbage" })).toBe(self.endpoint);
    });

    test("a forced endpoint decides the port that the node listens on", () => {
        const b = cluster(
            [node("b1", { annotations: { "force-endpoint": `${endpointOf("b1")}:4000` } })],
            [peer("a1")],
        );
        const a = cluster([node("a1")], [peer("b1", { persistentKeepalive: 25 })]);
        const options = { natted: ({ node: name }: { node: string }) => name === "a1" };
        expect(kiloModel({ a, b }, options).reach(pod("a1"), pod("b1"))).toMatchObject({
            reason: "no-endpoint-answers",
        });
    });
});
