import { codes, key, type NodeOptions, node, ours, peersIn, plan, reasons, routes, saidBy } from "./fixtures";

const keys = (planned: ReturnType<typeof plan>) =>
    Object.fromEntries(Object.entries(peersIn(planned)).map(([name, { spec }]) => [name, spec.publicKey]));

describe("granularity location: one peer per location", () => {
    const located = ({ annotations, ...more }: NodeOptions) =>
        node({
            ...more,
            annotations: { granularity: "location", location: "eu", "internal-ip": "192.168.0.1/24", ...annotations },
        });

    test("which carries the pods of all its nodes and the identity of its leader", () => {
        const planned = plan(
            [
                located({ seed: 1, annotations: { "wireguard-ip": "" } }),
                located({ seed: 2, annotations: { leader: "" } }),
                located({ seed: 3, annotations: { location: undefined } }),
                located({ seed: 4, annotations: { location: "" } }),
            ],
            { src: { serviceCIDR: "10.96.0.0/16" } },
        );
        expect(routes(planned)).toEqual({
            "src--location-default": ["10.1.3.0/24", "10.1.4.0/24", "10.4.0.3/32", "10.96.0.0/16"],
            "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.2/32"],
        });
        expect(keys(planned)).toEqual({ "src--location-default": key(3), "src--location-eu": key(2) });
        expect(planned.issues).toEqual([]);
        expect(planned.skipped).toEqual([]);
    });

    test.each<[string, readonly NodeOptions["annotations"][], number]>([
        ["the first by name", [{}, {}, {}], 1],
        ["one with a public endpoint", [{ endpoint: "10.9.0.1:1" }, { endpoint: "192.168.0.1:1" }, {}], 3],
        [
            "one with the annotation before one that is public",
            [{}, { leader: "false", endpoint: "172.16.0.1:1" }, {}],
            2,
        ],
        [
            "one with the annotation that is public before one that is not",
            [{ leader: "", endpoint: "10.0.0.1:1" }, {}, { leader: "" }],
            3,
        ],
        ["the first of several with the annotation", [{}, { leader: "" }, { leader: "" }], 2],
        [
            "by force-endpoint before endpoint",
            [{ "force-endpoint": "10.0.0.1:1" }, { endpoint: "10.0.0.2:1", "force-endpoint": "192.0.2.9:1" }, {}],
            2,
        ],
        [
            "by endpoint where force-endpoint cannot be read, but such a node cannot lend its endpoint",
            [{ endpoint: "10.0.0.1:1" }, {}, { endpoint: "10.0.0.1:1" }],
            2,
        ],
        ["DNS names last", [{ endpoint: "gw.example:1" }, {}, {}], 2],
        ["172.15 and 172.32 are public", [{ endpoint: "172.31.0.1:1" }, { endpoint: "172.32.0.1:1" }, {}], 2],
        ["100.64 is public", [{ endpoint: "10.0.0.1:1" }, { endpoint: "100.64.0.1:1" }, {}], 2],
        ["fd00 is private", [{ endpoint: "[fd00::1]:1" }, { endpoint: "[fd01::1]:1" }, {}], 2],
    ])("leader: %s", (_, annotations, leader) => {
        const planned = plan(annotations.map((more, i) => located({ seed: i + 1, annotations: more ?? {} })));
        expect(keys(planned)).toEqual({ "src--location-eu": key(leader) });
    });

    test("without Kilo's own endpoint the addresses of the node say whether it is public", () => {
        const address = (type: string, ip: string) => [{ type, address: ip }];
        const planned = plan([
            located({ seed: 1, annotations: { endpoint: undefined }, addresses: address("InternalIP", "10.0.0.1") }),
            located({ seed: 2, annotations: { endpoint: undefined }, addresses: address("ExternalIP", "203.0.113.2") }),
            located({ seed: 3, annotations: { endpoint: undefined } }),
        ]);
        expect(keys(planned)).toEqual({ "src--location-eu": key(2) });
    });

    test("a stale node does not lead while a ready one can, but its pods stay", () => {
        const nodes = [
            located({ seed: 1, annotations: { leader: "", "last-seen": "100" } }),
            located({ seed: 2, annotations: { "last-seen": "990" } }),
        ];
        const planned = plan(nodes, { now: 1000 });
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.2/32"] });
        expect(codes(planned)).toEqual(["warning NodeStale src"]);
        expect(keys(plan(nodes))).toEqual({ "src--location-eu": key(1) });
    });

    test("a name as endpoint counts by the address that it resolves to", () => {
        const nodes = [
            located({ seed: 1, annotations: { endpoint: "gw.example:1" } }),
            located({ seed: 2, annotations: { endpoint: "192.0.2.2:1" } }),
        ];
        expect(keys(plan(nodes))).toEqual({ "src--location-eu": key(2) });
        expect(keys(plan(nodes, { resolved: { "gw.example": "203.0.113.1" } }))).toEqual({
            "src--location-eu": key(1),
        });
        expect(keys(plan(nodes, { resolved: { "gw.example": "10.9.9.9" } }))).toEqual({ "src--location-eu": key(2) });
        expect(keys(plan(nodes, { resolved: { "gw.example": "nowhere" } }))).toEqual({ "src--location-eu": key(2) });
    });

    test("a leader that Kilo stopped on leads no longer while another can, and the preview names who does", () => {
        const all = [located({ seed: 1, annotations: { leader: "" } }), located({ seed: 2 })];
        const lastKnown = plan(all).facts;
        const held = ours("m--src--location-eu", {
            publicKey: key(1),
            allowedIPs: ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.1/32"],
        });
        const stopped = located({
            seed: 1,
            annotations: {
                leader: "",
                key: undefined,
                "wireguard-ip": undefined,
                endpoint: undefined,
                granularity: undefined,
            },
        });
        const planned = plan([stopped, all[1]!], { lastKnown, livePeers: { dst: [held] } });
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.2/32"] });
        expect(keys(planned)).toEqual({ "src--location-eu": key(2) });
        expect(codes(planned)).toEqual(["warning NodeFactsKept src", "info LeaderMoved src/n2"]);
        expect(saidBy(planned, "LeaderMoved")).toEqual(['leader of location "eu" of "src": "n1" → "n2"']);
    });

    test("where no node is fresh nothing says that the leader moved: the one that is known stays", () => {
        const nodes = [1, 2].map((seed) => located({ seed, annotations: { "last-seen": "1" } }));
        const known = (seed: number) => [
            ours("m--src--location-eu", { publicKey: key(seed), allowedIPs: ["10.1.1.0/24"] }),
        ];
        for (const seed of [1, 2]) {
            const planned = plan(nodes, { now: 1000, livePeers: { dst: known(seed) } });
            expect(keys(planned)).toEqual({ "src--location-eu": key(seed) });
        }
    });

    test("if all are stale the leader is the same as ever", () => {
        const nodes = [
            located({ seed: 1, annotations: { "last-seen": "1" } }),
            located({ seed: 2, annotations: { leader: "", "last-seen": "2" } }),
        ];
        expect(keys(plan(nodes, { now: 1000 }))).toEqual({ "src--location-eu": key(2) });
    });

    test.each([[{ "internal-ip": "" }], [{ "force-internal-ip": "-" }]])(
        "a node without an internal IP (%j) is a segment of its own",
        (annotations) => {
            const planned = plan([located({ seed: 1 }), located({ seed: 2, annotations })]);
            expect(routes(planned)).toEqual({
                "src--location-eu": ["10.1.1.0/24", "10.4.0.1/32"],
                "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
            });
        },
    );

    test("a node of which it is not known yet belongs to its location", () => {
        const planned = plan([located({ seed: 1, annotations: { "internal-ip": undefined } }), located({ seed: 2 })]);
        expect(Object.keys(routes(planned))).toEqual(["src--location-eu"]);
    });

    test("a leader that has no WireGuard address yet leads without: no pod is lost, and nobody stands in", () => {
        const planned = plan([
            located({ seed: 1, annotations: { leader: "", "wireguard-ip": "" } }),
            located({ seed: 2 }),
        ]);
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24"] });
        expect(keys(planned)).toEqual({ "src--location-eu": key(1) });
        expect(planned.skipped).toEqual([]);
        expect(codes(planned)).toEqual(["info WireguardAddressLeftOut src"]);
    });

    test("a leader with a malformed endpoint cannot lend it: the next one does, and no pod is lost", () => {
        const planned = plan([
            located({ seed: 1, annotations: { leader: "", "clustermesh-endpoint": "x" } }),
            located({ seed: 2 }),
        ]);
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.2/32"] });
        expect(keys(planned)).toEqual({ "src--location-eu": key(2) });
        expect(planned.skipped).toEqual([]);
        expect(planned.issues).toEqual([
            {
                code: "LeaderCannotLend",
                severity: "warning",
                path: "src/n2",
                message:
                    '"n1" leads location "eu" of "src" but its kilo.squat.ai/clustermesh-endpoint "x" is not host:port: "n2" stands in for it, and may not answer',
                fix: 'Correct "n1", then run `pulumi up` again',
            },
        ]);
    });

    test("unless a target knows the location by that leader: there its peer is kept", () => {
        const endpoint = { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 };
        const held = ours("m--src--location-eu", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"], endpoint });
        const planned = plan(
            [located({ seed: 1, annotations: { leader: "", "clustermesh-endpoint": "x" } }), located({ seed: 2 })],
            { livePeers: { dst: [held] } },
        );
        expect(peersIn(planned)["src--location-eu"]?.spec).toEqual({
            publicKey: key(1),
            allowedIPs: ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.1/32"],
            endpoint,
        });
        expect(codes(planned)).toEqual(["warning PeerHeld src/n1"]);
    });

    test("a malformed endpoint of a node that does not lead is nobody's business", () => {
        const planned = plan([
            located({ seed: 1 }),
            located({ seed: 2, annotations: { "clustermesh-endpoint": "x", endpoint: "10.0.0.1:1" } }),
        ]);
        expect(planned.skipped).toEqual([]);
    });

    test("where nobody can lend an identity, the one that Kilo lets lead is skipped with its reason", () => {
        const planned = plan([
            located({ seed: 1, annotations: { endpoint: "x" } }),
            located({ seed: 2, annotations: { leader: "", endpoint: "10.1.9.9:1" } }),
            located({ seed: 3, annotations: { key: "" } }),
        ]);
        expect(peersIn(planned)).toEqual({});
        expect(reasons(planned)).toEqual(["src/n2 NodeEndpointInvalid", "src/n3 NodeNoPublicKey"]);
    });

    test("the endpoint of the leader must not lie in the pods of any node, of the location or another", () => {
        for (const location of ["eu", "us"]) {
            const planned = plan([
                located({ seed: 1, annotations: { leader: "", endpoint: "10.1.2.7:51820" } }),
                located({ seed: 3 }),
                located({ seed: 2, annotations: { location } }),
            ]);
            expect(keys(planned)["src--location-eu"]).not.toBe(key(1));
            expect(codes(planned)).toContain(`warning LeaderCannotLend src/${location === "eu" ? "n2" : "n3"}`);
        }
    });

    test("a node whose key is missing stays carried where its pods are routed already", () => {
        const held = ours("m--src--location-eu", { publicKey: key(1), allowedIPs: ["10.1.1.0/24", "10.1.2.0/24"] });
        const nodes = [located({ seed: 1 }), located({ seed: 2, annotations: { key: undefined } })];
        const planned = plan(nodes, { livePeers: { dst: [held] } });
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.1/32"] });
        expect(reasons(plan(nodes))).toEqual(["src/n2 NodeNoPublicKey"]);
    });

    test("carry the pods of their nodes in the order of addresses", () => {
        const planned = plan([located({ seed: 1, pods: ["10.1.9.0/24"] }), located({ seed: 2 })]);
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.2.0/24", "10.1.9.0/24", "10.4.0.1/32"] });
    });

    test("a node whose pods are out of range still leads: Kilo does not know our ranges", () => {
        const planned = plan([
            located({ seed: 1, pods: ["10.9.0.0/24"], annotations: { leader: "" } }),
            located({ seed: 2 }),
        ]);
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.2.0/24", "10.4.0.1/32"] });
        expect(keys(planned)).toEqual({ "src--location-eu": key(1) });
        expect(reasons(planned)).toEqual(["src/n1 NodePodCIDROutOfRange"]);
    });

    test.each([
        ["no pod CIDR", { pods: [] }],
        ["a bad key", { annotations: { leader: "", key: "x" } }],
        ["no key", { annotations: { leader: "", key: undefined } }],
    ])("a node with %s is not ready for Kilo and does not lead", (_, options) => {
        const planned = plan([located({ seed: 1, annotations: { leader: "" }, ...options }), located({ seed: 2 })]);
        expect(keys(planned)).toEqual({ "src--location-eu": key(2) });
        expect(planned.skipped).toHaveLength(1);
        expect(planned.issues).toEqual([]);
    });

    test("the node selector decides whose networks are carried, never who leads", () => {
        const src = { nodeSelector: { pool: "mesh" }, nodeCIDRs: ["192.168.7.0/24"] };
        const addresses = (ip: string) => [{ type: "InternalIP", address: ip }];
        const planned = plan(
            [
                located({ seed: 1, annotations: { leader: "" }, addresses: addresses("192.168.7.1") }),
                located({ seed: 2, labels: { pool: "mesh" }, addresses: addresses("192.168.7.2") }),
            ],
            { src },
        );
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.2.0/24", "10.4.0.1/32", "192.168.7.2/32"] });
        expect(keys(planned)).toEqual({ "src--location-eu": key(1) });
        expect(planned.skipped).toEqual([]);
        expect(peersIn(plan([located({ seed: 1 })], { src }))).toEqual({});
        expect(plan([located({ seed: 1, annotations: { endpoint: "x" } })], { src }).skipped).toEqual([]);
    });

    test("a leader outside the selection that has another node's key cannot lend it", () => {
        const planned = plan(
            [
                located({ seed: 1, name: "z", annotations: { leader: "", key: key(2) } }),
                located({ seed: 2, labels: { pool: "mesh" } }),
            ],
            { src: { nodeSelector: { pool: "mesh" } } },
        );
        expect(keys(planned)).toEqual({ "src--location-eu": key(2) });
        expect(planned.skipped).toEqual([]);
        expect(codes(planned)).toEqual(["warning LeaderCannotLend src/n2"]);
    });
});
