import { readNodes } from "../../../provider/kilo/read-nodes";
import type { KubeNode } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { at, key, located, node, peersIn, plan, reasons, routes, saidBy, source, target } from "./fixtures";

const nodeCIDRs = ["192.168.7.0/24", "fd00:7::/64"];
const src = { nodeCIDRs };
const addressed = (planned: ReturnType<typeof plan>) =>
    Object.values(routes(planned))
        .flat()
        .filter((cidr) => cidr.startsWith("192."));

describe("node addresses", () => {
    test("inside nodeCIDRs are host routes, also the one that Kilo uses", () => {
        const planned = plan(
            [
                node({
                    annotations: { "force-internal-ip": "192.168.7.9/32" },
                    addresses: [
                        ...at("192.168.7.5"),
                        ...at("10.77.0.1"),
                        ...at("fd00:7::5"),
                        ...at("192.168.7.1", "ExternalIP"),
                    ],
                }),
            ],
            { src },
        );
        // without force-endpoint the external address is the endpoint, so no route leads to it
        expect(routes(planned)).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "192.168.7.5/32", "192.168.7.9/32", "fd00:7::5/128"],
        });
    });

    test("of two nodes with one address the first by name has it", () => {
        const planned = plan(
            [2, 1].map((seed) => node({ seed, addresses: at("192.168.7.7") })),
            { src },
        );
        expect(routes(planned)["src--n1"]).toContain("192.168.7.7/32");
        expect(routes(planned)["src--n2"]).not.toContain("192.168.7.7/32");
    });

    test("of two locations with one address, the first node by name has it", () => {
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

    test("a node whose facts are merely remembered yields its address to one that says it has it", () => {
        const { facts } = plan([node({ seed: 1, addresses: at("192.168.7.7") })], { src });
        const nodes = [
            node({ seed: 1, annotations: { key: undefined }, addresses: at("192.168.7.7") }),
            node({ seed: 2, addresses: at("192.168.7.7") }),
        ];
        const planned = plan(nodes, { src, lastKnown: facts });
        expect(routes(planned)["src--n1"]).not.toContain("192.168.7.7/32");
        expect(routes(planned)["src--n2"]).toContain("192.168.7.7/32");
    });

    test("in stored facts that cannot be read are passed over", () => {
        const [facts] = readNodes([node({ seed: 1 })], source());
        const planned = planMesh({
            mesh: "m",
            clusters: [source(src), target()],
            nodes: {},
            lastKnown: { src: [{ ...facts!, internalIPs: ["nowhere", "192.168.7.9"] }] },
        });
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "192.168.7.9/32"] });
    });
});

describe("no peer leads where its own tunnel begins", () => {
    const looping = { annotations: { endpoint: "192.168.7.1:1" }, addresses: at("192.168.7.1") };
    const alone = ["10.1.1.0/24", "10.4.0.1/32"];

    test("and an issue says what is left out, and where", () => {
        const planned = plan([node({ seed: 1, ...looping })], { src });
        expect(planned.issues).toEqual([
            {
                code: "NodeAddressLeftOut",
                severity: "info",
                path: "dst/src",
                message:
                    '192.168.7.1/32 of "src" not routed in "dst": a tunnel ends there, and a route to its own end would break it',
                fix: "Do nothing: pods are reached; from the host network these nodes are reached by their own address",
            },
        ]);
    });

    test("whether or not other nodes have addresses", () => {
        expect(routes(plan([node({ seed: 1, ...looping }), node({ seed: 2 })], { src }))).toEqual({
            "src--n1": alone,
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });

    test("whether or not other clusters have addresses", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(src), target(), { name: "third", podCIDRs: ["10.3.0.0/16"] }],
            nodes: { src: [node({ seed: 1, ...looping })], third: [node({ seed: 3, pods: ["10.3.1.0/24"] })] },
        });
        expect(routes(planned)).toEqual({ "src--n1": alone, "third--n3": ["10.3.1.0/24"] });
    });

    test("whether or not every node of the location has addresses", () => {
        const leader = located({
            seed: 1,
            annotations: { leader: "", endpoint: "192.168.7.1:1" },
            addresses: at("192.168.7.1"),
        });
        expect(routes(plan([leader, located({ seed: 2 })], { src }))).toEqual({
            "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.1/32"],
        });
    });

    test.each([
        ["none", undefined],
        ["a name", "gw.example:1"],
    ])("where the endpoint of another is %s", (_, endpoint) => {
        const other = node({ seed: 2, annotations: { endpoint } });
        expect(routes(plan([node({ seed: 1, ...looping }), other], { src }))).toEqual({
            "src--n1": alone,
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });

    test("a malformed endpoint costs its node, not the plan", () => {
        const planned = plan([node({ seed: 1, annotations: { endpoint: "x" } }), node({ seed: 2 })], { src });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n2"]);
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid"]);
    });

    test("its own or that of another node of the same cluster", () => {
        const planned = plan(
            [
                node({ seed: 1, annotations: { endpoint: "192.168.7.1:51820" }, addresses: at("192.168.7.1") }),
                node({ seed: 2, annotations: { endpoint: "192.168.7.3:51820" }, addresses: at("192.168.7.2") }),
                node({ seed: 3, addresses: at("192.168.7.3") }),
            ],
            { src },
        );
        expect(routes(planned)).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32", "192.168.7.2/32"],
            "src--n3": ["10.1.3.0/24", "10.4.0.3/32"],
        });
    });

    test("nor where a node of the target itself, or a stranger's peer, is reached", () => {
        const planned = plan(
            [1, 2, 3].map((seed) => node({ seed, addresses: at(`192.168.7.${seed}`) })),
            {
                src,
                nodes: {
                    dst: [node({ seed: 5, pods: ["10.2.5.0/24"], annotations: { endpoint: "192.168.7.1:51820" } })],
                },
                livePeers: {
                    dst: [
                        {
                            metadata: { name: "x" },
                            spec: {
                                publicKey: key(50),
                                allowedIPs: ["10.50.0.0/16"],
                                endpoint: { dnsOrIP: { ip: "192.168.7.2" }, port: 1 },
                            },
                        },
                    ],
                },
            },
        );
        expect(addressed(planned)).toEqual(["192.168.7.3/32"]);
        expect(saidBy(planned, "NodeAddressLeftOut")[0]).toContain('192.168.7.1/32, 192.168.7.2/32 of "src"');
    });

    test("but what a third member says costs nobody a route", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(src), target(), { name: "third", podCIDRs: ["10.3.0.0/16"] }],
            nodes: {
                src: [node({ seed: 1, addresses: at("192.168.7.1") })],
                third: [node({ seed: 3, pods: ["10.3.1.0/24"], annotations: { endpoint: "192.168.7.1:51820" } })],
            },
        });
        expect(addressed(planned)).toEqual(["192.168.7.1/32"]);
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "third--n3"]);
    });

    test("nor does what others may route lead the member that says it into its own tunnel", () => {
        const says = { "wireguard-ip": undefined, endpoint: "192.168.7.1:51820" };
        const planned = planMesh({
            mesh: "m",
            clusters: [source(src), target(), { name: "third", podCIDRs: ["10.3.0.0/16"] }],
            nodes: {
                src: [node({ seed: 1, addresses: at("192.168.7.1") })],
                third: [node({ seed: 3, pods: ["10.3.1.0/24"], annotations: says })],
            },
        });
        expect(addressed(planned)).toEqual(["192.168.7.1/32"]);
        expect(planned.peers.third!["m--src--n1"]!.spec.allowedIPs).toEqual(["10.1.1.0/24", "10.4.0.1/32"]);
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

    test("in a location one address may be an endpoint and another not", () => {
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
});

describe("node addresses in the flat form", () => {
    const allowedNetworks = ["10.1.0.0/16", "10.4.0.0/24", "192.168.7.0/24"];
    const planned = (nodeAddresses: boolean, src: readonly KubeNode[]) =>
        planMesh({
            mesh: "m",
            clusters: [{ name: "src", allowedNetworks, nodeAddresses }, target()],
            nodes: { src, dst: [] },
        });
    const nodes = [
        node({ seed: 1, addresses: at("192.168.7.5") }),
        node({ seed: 2, addresses: [...at("192.168.7.6"), ...at("203.0.113.7")] }),
    ];

    test("are not advertised unless it is asked for: the range rides on one peer, as before", () => {
        expect(routes(planned(false, nodes))).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "192.168.7.0/24"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });

    test("are host routes on the node's own peer where it is asked for, and the range rides on none", () => {
        expect(routes(planned(true, nodes))).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "192.168.7.5/32"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32", "192.168.7.6/32"],
        });
    });

    test("that are an endpoint, a pod's or a WireGuard address get no second route", () => {
        const odd = [
            node({ seed: 1, annotations: { endpoint: "192.168.7.5:51820" }, addresses: at("192.168.7.5") }),
            node({ seed: 2, addresses: [...at("10.1.1.9"), ...at("10.4.0.1")] }),
        ];
        expect(routes(planned(true, odd))).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });
});
