import { at, key, live, located, type NodeOptions, node, ours, peersIn, plan, reasons, saidBy } from "./fixtures";

const TUNNELLED = "which is reached through a tunnel";

test("an address of another type is not an external one", () => {
    const planned = plan([node({ annotations: { endpoint: undefined }, addresses: at("203.0.113.9", "Hostname") })]);
    expect(peersIn(planned)["src--n1"]?.spec).not.toHaveProperty("endpoint");
});

test("the message of a malformed endpoint names where it stands", () => {
    const said = (annotation: string) => plan([node({ annotations: { [annotation]: "x" } })]).skipped[0]?.message;
    expect(said("endpoint")).toBe('its kilo.squat.ai/endpoint "x" is not host:port');
    expect(said("clustermesh-endpoint")).toBe('its kilo.squat.ai/clustermesh-endpoint "x" is not host:port');
});

describe("an endpoint inside a network of the mesh is reached through a tunnel, and costs the node that says so", () => {
    const clusters = [
        {
            name: "src",
            podCIDRs: ["10.1.0.0/16"],
            wireguardCIDR: "10.4.0.0/24",
            serviceCIDR: "10.96.0.0/16",
            additionalCIDRs: ["172.20.0.0/16"],
            nodeCIDRs: ["192.168.7.0/24"],
            reserved: ["172.21.0.0/16"],
        },
        { name: "dst", podCIDRs: ["10.2.0.0/16"], wireguardCIDR: "10.5.0.0/24", serviceCIDR: "10.97.0.0/16" },
    ];
    const reachedAt = (ip: string, options: NodeOptions = {}) =>
        plan([node({ seed: 1, annotations: { endpoint: `${ip}:1` }, ...options }), node({ seed: 2 })], { clusters });

    test.each<[string, string, string]>([
        ["its own pods", "10.1.1.9", '10.1.0.0/16 of "src"'],
        ["the pods of another node", "10.1.2.9", '10.1.0.0/16 of "src"'],
        ["pods that no node has yet", "10.1.77.9", '10.1.0.0/16 of "src"'],
        ["WireGuard addresses", "10.4.0.1", '10.4.0.0/24 of "src"'],
        ["services", "10.96.0.1", '10.96.0.0/16 of "src"'],
        ["additional networks", "172.20.0.1", '172.20.0.0/16 of "src"'],
        ["another cluster's pods", "10.2.0.1", '10.2.0.0/16 of "dst"'],
        ["another cluster's WireGuard addresses", "10.5.0.1", '10.5.0.0/24 of "dst"'],
        ["another cluster's services", "10.97.0.1", '10.97.0.0/16 of "dst"'],
    ])("%s", (_, ip, network) => {
        const planned = reachedAt(ip);
        expect(planned.skipped).toEqual([
            {
                cluster: "src",
                node: "n1",
                reason: "NodeEndpointInvalid",
                message: `its endpoint ${ip}:1 lies inside ${network}, ${TUNNELLED}`,
            },
        ]);
        expect(Object.keys(peersIn(planned))).toEqual(["src--n2"]);
    });

    test.each([
        ["node addresses", "192.168.7.1"],
        ["ranges that are only reserved", "172.21.0.1"],
        ["nothing that is declared", "10.200.0.1"],
    ])("but not in %s", (_, ip) => {
        expect(reachedAt(ip).skipped).toEqual([]);
        expect(Object.keys(peersIn(reachedAt(ip)))).toEqual(["src--n1", "src--n2"]);
    });

    test("in a location too, whichever node the pods are of", () => {
        const planned = plan([
            located({ seed: 1, annotations: { endpoint: "10.1.2.9:1" } }),
            located({ seed: 2, annotations: { location: "us" } }),
        ]);
        expect(Object.keys(peersIn(planned))).toEqual(["src--location-us"]);
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid"]);
    });

    describe("in the flat form", () => {
        const flat = (ip: string, address: string) =>
            plan([node({ seed: 1, annotations: { endpoint: `${ip}:1` }, addresses: at(address) })], {
                clusters: [
                    { name: "src", allowedNetworks: ["10.1.0.0/16", "10.4.0.0/24", "192.168.7.0/24"] },
                    { name: "dst", podCIDRs: ["10.2.0.0/16"] },
                ],
            });

        test("an entry that holds node addresses beside pods is fine, but for the pods themselves", () => {
            expect(reasons(flat("10.1.200.1", "10.1.200.1"))).toEqual([]);
            expect(reasons(flat("10.1.200.1", "10.200.0.1"))).toEqual(["src/n1 NodeEndpointInvalid"]);
            expect(flat("10.1.1.9", "10.1.200.1").skipped[0]?.message).toBe(
                `its endpoint 10.1.1.9:1 lies inside the pod CIDR of "n1", ${TUNNELLED}`,
            );
        });

        test("in the pods of another node it is fine, for its own tunnel does not lead there", () => {
            const given = (make: typeof located, first: string) =>
                plan(
                    [
                        make({
                            seed: 1,
                            annotations: { endpoint: `${first}:1`, leader: "" },
                            addresses: at("10.1.200.1"),
                        }),
                        make({ seed: 2, addresses: at("10.1.200.2") }),
                    ],
                    {
                        clusters: [
                            { name: "src", allowedNetworks: ["10.1.0.0/16"] },
                            { name: "dst", podCIDRs: ["10.2.0.0/16"] },
                        ],
                    },
                );
            expect(reasons(given(node, "10.1.2.9"))).toEqual([]);
            expect(saidBy(given(located, "10.1.2.9"), "LeaderCannotLend")).toEqual([
                expect.stringContaining('lies inside the pod CIDR of "n2"'),
            ]);
            expect(saidBy(given(located, "10.1.3.9"), "LeaderCannotLend")).toEqual([]);
            const apart: typeof located = (more) =>
                located({ ...more, annotations: { ...more.annotations, location: `l${more.seed}` } });
            expect(reasons(given(apart, "10.1.2.9"))).toEqual([]);
        });

        test("at its own WireGuard address it is not", () => {
            const planned = plan(
                [
                    node({
                        seed: 1,
                        annotations: { endpoint: "10.1.200.9:1", "wireguard-ip": "10.1.200.9/16" },
                        addresses: at("10.1.200.1"),
                    }),
                ],
                {
                    clusters: [
                        { name: "src", allowedNetworks: ["10.1.0.0/16"] },
                        { name: "dst", podCIDRs: ["10.2.0.0/16"] },
                    ],
                },
            );
            expect(planned.skipped[0]?.message).toContain("lies inside 10.1.200.9/32");
        });

        test("an entry that is routed as a whole is not, whatever it holds", () => {
            expect(flat("192.168.7.1", "192.168.7.1").skipped[0]?.message).toBe(
                `its endpoint 192.168.7.1:1 lies inside 192.168.7.0/24, ${TUNNELLED}`,
            );
        });
    });
});

describe("a node that has its peer already", () => {
    const endpoint = { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 };
    const held = (more: Record<string, unknown> = {}) =>
        ours("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24", "10.4.0.1/32"], endpoint, ...more });
    const given = (annotations: NodeOptions["annotations"], peer = held()) =>
        plan([node({ seed: 1, annotations: { ...annotations } })], { livePeers: { dst: [peer] } });

    test.each<[string, NodeOptions["annotations"], string]>([
        [
            "a malformed endpoint",
            { "force-endpoint": "x" },
            '"n1": its kilo.squat.ai/force-endpoint "x" is not host:port',
        ],
        [
            "an endpoint inside a network of the mesh",
            { "force-endpoint": "10.2.0.1:1" },
            `"n1": its endpoint 10.2.0.1:1 lies inside 10.2.0.0/16 of "dst", ${TUNNELLED}`,
        ],
        ["no key", { key: undefined }, '"n1": it has no annotation kilo.squat.ai/key yet'],
        ["a bad key", { key: "x" }, '"n1": its public key "x" is not 32 bytes of base64'],
    ])("and says %s now keeps key and endpoint, and a warning says why", (_, annotations, why) => {
        const planned = given(annotations);
        expect(peersIn(planned)["src--n1"]?.spec).toEqual({
            publicKey: key(1),
            allowedIPs: ["10.1.1.0/24", "10.4.0.1/32"],
            endpoint,
        });
        expect(planned.skipped).toEqual([]);
        expect(saidBy(planned, "PeerHeld")).toEqual([`m--src--n1 in "dst" keeps what it has, because of ${why}`]);
    });

    test("without endpoint keeps that, and its keepalive", () => {
        const { endpoint: _, ...spec } = held({ persistentKeepalive: 25 }).spec!;
        const planned = given({ "force-endpoint": "x" }, { ...held(), spec });
        expect(peersIn(planned)["src--n1"]?.spec).toEqual(spec);
    });

    test("in one target is skipped in the others, where nobody knows it", () => {
        const third = { name: "third", podCIDRs: ["10.3.0.0/16"] };
        const clusters = [
            { name: "src", podCIDRs: ["10.1.0.0/16"] },
            { name: "dst", podCIDRs: ["10.2.0.0/16"] },
            third,
        ];
        const planned = plan([node({ seed: 1, annotations: { "force-endpoint": "x" } })], {
            clusters,
            livePeers: { dst: [held()] },
        });
        expect(Object.keys(peersIn(planned))).toContain("src--n1");
        expect(Object.keys(peersIn(planned, "third"))).not.toContain("src--n1");
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid in third"]);
    });

    test("under another key does not: what it has is not this node's", () => {
        const planned = given({ "force-endpoint": "x" }, held({ publicKey: key(7) }));
        expect(peersIn(planned)).toEqual({});
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid in dst"]);
    });

    test("that is somebody else's is skipped", () => {
        const planned = plan([node({ annotations: { "force-endpoint": "x" } })], {
            livePeers: { dst: [live("m--src--n1", { labels: { "kilo-clustermesh.io/claim": "other" } })] },
        });
        expect(peersIn(planned)).toEqual({});
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid"]);
    });

    test("yields its key to a node that says it is its own", () => {
        const planned = plan(
            [node({ seed: 1, annotations: { key: undefined } }), node({ seed: 2, annotations: { key: key(1) } })],
            {
                livePeers: { dst: [held()] },
            },
        );
        expect(Object.keys(peersIn(planned))).toEqual(["src--n2"]);
        expect(peersIn(planned)["src--n2"]?.spec.publicKey).toBe(key(1));
    });
});
