import type { KubePeer } from "../../../provider/kilo/types";
import { distinctPeerName, peerName } from "../../../provider/mesh/names";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { canonicalAddress, parseAddress } from "../../../provider/net/address";
import { networkOf, outermost, parseCidr } from "../../../provider/net/cidr";
import { eachOverlap } from "../../../provider/net/overlaps";
import { at, codes, key, located, node, peersIn, plan, reasons, routes, source, target } from "./fixtures";

const foreign = (name: string, spec: object): KubePeer => ({ metadata: { name }, spec });

describe("addresses and networks", () => {
    test("zero is an address like any other", () => {
        expect(canonicalAddress("0.0.0.0")).toBe("0.0.0.0");
        expect(networkOf("0.0.0.0/8")?.text).toBe("0.0.0.0/8");
        expect(parseAddress("::ffff:0.0.0.0")).toBe("mapped");
        expect(canonicalAddress("x:y")).toBeUndefined();
    });

    test.each(["10.0.0.0/33", "10.0.0.0/99", "10.0.0.0/1:", "10.0.0.0/", "10.0.0.0/00", "/24", "fd00::/1:"])(
        "%s is no network, of a node or declared",
        (text) => {
            expect(networkOf(text)).toBeUndefined();
            expect(parseCidr(text)).toHaveProperty("problem");
        },
    );

    test("of two that start alike the larger is the outer one", () => {
        const list = ["10.0.0.0/16", "10.0.0.0/8", "10.5.0.0/16"].map((text) => networkOf(text)!);
        expect(outermost(list).map(({ text }) => text)).toEqual(["10.0.0.0/8"]);
        const pairs: string[] = [];
        eachOverlap(
            list.map((network) => ({ network, owner: network.text })),
            ({ outer, inner }) => pairs.push(`${outer.owner} ${inner.owner}`),
        );
        expect(pairs).toEqual(["10.0.0.0/8 10.0.0.0/16", "10.0.0.0/8 10.5.0.0/16"]);
    });
});

describe("names", () => {
    test("empty parts leave nothing behind", () => {
        expect(peerName("", "", "x")).toBe("x");
        expect(peerName("", "", "-.-")).toBe("");
    });

    test.each(["n1", "ip-10-0-0-1.eu.internal", "a-b"])(
        "ordinary node %s has its ordinary name, whatever else lives there",
        (name) => {
            const yielded = distinctPeerName("m", "src", name, `node ${name}`);
            const live = { metadata: { name: yielded, labels: { "kilo-clustermesh.io/claim": "c-dst" } }, spec: {} };
            expect(Object.keys(plan([node({ name })], { livePeers: { dst: [live] } }).peers.dst!)).toEqual([
                `m--src--${name}`,
            ]);
        },
    );

    test.each(["Node", "a--b", "location-eu", "a_b", "x".repeat(300)])(
        "node %s could be mistaken for another, so it keeps the name it yielded to",
        (name) => {
            const yielded = distinctPeerName("m", "src", name, `node ${name}`);
            const live = { metadata: { name: yielded, labels: { "kilo-clustermesh.io/claim": "c-dst" } }, spec: {} };
            expect(Object.keys(plan([node({ name })], { livePeers: { dst: [live] } }).peers.dst!)).toEqual([yielded]);
        },
    );

    test("nodes that differ in case only have names of their own, beside a cluster of ordinary ones", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(), target(), { name: "plain", podCIDRs: ["10.3.0.0/16"] }],
            nodes: {
                src: [node({ name: "N", seed: 1 }), node({ name: "n", seed: 2 })],
                plain: [node({ seed: 3, pods: ["10.3.1.0/24"] })],
            },
        });
        expect(Object.keys(planned.peers.dst!)).toHaveLength(3);
        expect(planned.peers.dst!["m--src--n"]!.spec.publicKey).toBe(key(2));
    });
});

describe("nodes", () => {
    test("an address of another type is not an external one", () => {
        const planned = plan([
            node({ annotations: { endpoint: undefined }, addresses: at("203.0.113.9", "Hostname") }),
        ]);
        expect(peersIn(planned)["src--n1"]?.spec).not.toHaveProperty("endpoint");
    });

    test("the message of a malformed endpoint names where it stands", () => {
        const said = (annotation: string) => plan([node({ annotations: { [annotation]: "x" } })]).skipped[0]?.message;
        expect(said("endpoint")).toBe('its kilo.squat.ai/endpoint "x" is not host:port');
        expect(said("clustermesh-endpoint")).toBe('its kilo.squat.ai/clustermesh-endpoint "x" is not host:port');
    });

    test("an endpoint among the pods of another node is fine: it is reached through that one", () => {
        const planned = plan([node({ seed: 1, annotations: { endpoint: "10.1.2.9:1" } }), node({ seed: 2 })]);
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "src--n2"]);
    });

    test("in another location too", () => {
        const planned = plan([
            located({ seed: 1, annotations: { endpoint: "10.1.2.9:1" } }),
            located({ seed: 2, annotations: { location: "us" } }),
        ]);
        expect(Object.keys(peersIn(planned))).toEqual(["src--location-eu", "src--location-us"]);
    });

    test("what the selector leaves out holds neither pods nor keys against what it wants", () => {
        const src = { nodeSelector: { pool: "mesh" } };
        const labels = { pool: "mesh" };
        const twins = plan([node({ seed: 1, pods: ["10.1.2.0/24"] }), node({ seed: 2, labels })], { src });
        expect(Object.keys(peersIn(twins))).toEqual(["src--n2"]);
        const sharing = plan(
            [
                located({ name: "a", seed: 1, annotations: { key: key(2) } }),
                located({ seed: 2, labels, annotations: { leader: "" } }),
            ],
            { src },
        );
        expect(peersIn(sharing)["src--location-eu"]?.spec.publicKey).toBe(key(2));
        expect(sharing.skipped).toEqual([]);
    });

    test("a location that the selector leaves out altogether holds no key in the mesh", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [
                source({ name: "a", nodeSelector: { pool: "mesh" } }),
                target({ name: "b" }),
                { name: "c", podCIDRs: ["10.3.0.0/16"] },
            ],
            nodes: {
                a: [located({ seed: 1 })],
                b: [node({ seed: 2, pods: ["10.2.1.0/24"], annotations: { key: key(1) } })],
            },
        });
        expect(Object.keys(planned.peers.c!)).toEqual(["m--b--n2"]);
        expect(reasons(planned)).toEqual(["b/n2 PeerKeyForeign in a"]);
    });

    test("a WireGuard address among the pods of one of its families needs no route", () => {
        const planned = plan(
            [node({ pods: ["10.1.1.0/24", "fd00:1::/64"], annotations: { "wireguard-ip": "10.1.1.1/16" } })],
            {
                clusters: [{ name: "src", allowedNetworks: ["10.1.0.0/16", "fd00:1::/48"] }, target()],
            },
        );
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24", "fd00:1::/64"] });
    });

    test("of two locations with one node address, the first node by name has it", () => {
        const src = { nodeCIDRs: ["192.168.7.0/24"] };
        const planned = plan(
            [
                located({ seed: 2, addresses: at("192.168.7.7") }),
                located({ seed: 1, annotations: { location: "us" }, addresses: at("192.168.7.7") }),
            ],
            { src },
        );
        expect(routes(planned)).toEqual({
            "src--location-eu": ["10.1.2.0/24", "10.4.0.2/32"],
            "src--location-us": ["10.1.1.0/24", "10.4.0.1/32", "192.168.7.7/32"],
        });
    });

    test("in a location one address may be an endpoint and another not", () => {
        const src = { nodeCIDRs: ["192.168.7.0/24"] };
        const planned = plan(
            [
                located({ seed: 1, annotations: { endpoint: "192.168.7.1:1" }, addresses: at("192.168.7.1") }),
                located({ seed: 2, addresses: at("192.168.7.2") }),
                located({ seed: 3 }),
            ],
            { src },
        );
        expect(routes(planned)).toEqual({
            "src--location-eu": [
                "10.1.1.0/24",
                "10.1.2.0/24",
                "10.1.3.0/24",
                "10.4.0.2/32",
                "192.168.7.1/32",
                "192.168.7.2/32",
            ],
        });
        const leading = plan(
            [
                located({
                    seed: 1,
                    annotations: { leader: "", endpoint: "192.168.7.1:1" },
                    addresses: at("192.168.7.1"),
                }),
                located({ seed: 2, addresses: at("192.168.7.2") }),
            ],
            { src },
        );
        expect(routes(leading)).toEqual({
            "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.1/32", "192.168.7.2/32"],
        });
    });

    test("where both clusters advertise addresses, the endpoints of a target's own nodes still count", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source({ nodeCIDRs: ["192.168.7.0/24"] }), target({ nodeCIDRs: ["192.168.8.0/24"] })],
            nodes: {
                src: [node({ seed: 1, addresses: at("192.168.7.1") })],
                dst: [
                    node({
                        seed: 2,
                        pods: ["10.2.1.0/24"],
                        annotations: { "force-endpoint": "gw.example:1", endpoint: "192.168.7.1:1" },
                    }),
                ],
            },
        });
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24", "10.4.0.1/32"] });
    });

    test("only nodes that are carried are stale, or of unknown granularity", () => {
        const bad = { pods: [], annotations: { "last-seen": "1", granularity: undefined } };
        expect(plan([node(bad)], { now: 1000 }).issues).toEqual([]);
        expect(plan([node({ annotations: { granularity: undefined } })]).issues).toEqual([
            {
                code: "GranularityUnknown",
                severity: "info",
                path: "src",
                message: '1 node of "src" ("n1") without a known kilo.squat.ai/granularity: one peer per node',
                fix: "nothing, if Kilo runs there with full granularity; otherwise look why it did not annotate them",
            },
        ]);
    });
});

describe("targets", () => {
    const nodes = [node({ seed: 1 }), node({ seed: 2 })];

    test("an empty claim is no label", () => {
        for (const claims of [{ dst: "" }, {}]) {
            expect(peersIn(plan(nodes, { claims }))["src--n1"]?.labels).not.toHaveProperty([
                "kilo-clustermesh.io/claim",
            ]);
        }
    });

    test("a stranger that holds name, key and networks is one finding", () => {
        const peer = foreign("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24", "10.4.0.1/32"] });
        expect(reasons(plan(nodes, { livePeers: { dst: [peer] } }))).toEqual(["src/n1 PeerNameForeign in dst"]);
    });

    test("of two strangers with one key the first by name is told, in any order", () => {
        const peers = ["y", "x"].map((name) => foreign(name, { publicKey: key(1), allowedIPs: [] }));
        for (const list of [peers, [...peers].reverse()]) {
            expect(plan(nodes, { livePeers: { dst: list } }).skipped[0]?.message).toContain('"x"');
        }
    });

    test("a node that is skipped in several targets is listed for each, in order", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(), target({ name: "z" }), { name: "b", podCIDRs: ["10.3.0.0/16"] }],
            nodes: { src: nodes },
            livePeers: Object.fromEntries(["z", "b"].map((name) => [name, [foreign("x", { publicKey: key(1) })]])),
        });
        expect(reasons(planned)).toEqual(["src/n1 PeerKeyForeign in b", "src/n1 PeerKeyForeign in z"]);
    });

    test("an observation among the pods of any node of a location is passed over", () => {
        const observer = node({
            seed: 8,
            pods: ["10.2.8.0/24"],
            annotations: { "discovered-endpoints": JSON.stringify({ [key(1)]: { IP: "10.1.2.9", Port: 1 } }) },
        });
        const pair = [located({ seed: 1 }), located({ seed: 2, pods: ["10.1.2.0/24", "fd00:1::/64"] })];
        const planned = plan(pair, { src: { podCIDRs: ["10.1.0.0/16", "fd00:1::/48"] }, nodes: { dst: [observer] } });
        expect(peersIn(planned)["src--location-eu"]?.spec.endpoint).toEqual({
            dnsOrIP: { ip: "192.0.2.1" },
            port: 51820,
        });
    });

    test("capacity counts what rides on the first segment and what was observed", () => {
        const bytes = (src: Partial<ClusterSpec>) =>
            plan([node({ seed: 1 })], { src }).capacity.configBytesPerNode.dst!;
        expect(bytes({ serviceCIDR: "10.96.0.0/16" }) - bytes({})).toBe("10.96.0.0/16, ".length);
    });

    test("a link with peers both ways is drawn from the first to the second", () => {
        const planned = plan([node({ seed: 1 })], {
            nodes: { dst: [node({ seed: 2, pods: ["10.2.1.0/24"] }), node({ seed: 3, pods: ["10.2.2.0/24"] })] },
        });
        expect(planned.graph).toContain('    c0 <-->|"2 / 1"| c1\n');
    });
});

test("a plan without claims, clusters of no nodes and a target of no peers is complete", () => {
    const planned = planMesh({ mesh: "m", clusters: [source(), target()], nodes: {} });
    expect(codes(planned)).toEqual([]);
    expect(planned.peers).toEqual({ dst: {}, src: {} });
});
