import { codes, key, type NodeOptions, node, peersIn, plan, reasons, routes } from "./fixtures";

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

    test("only the leader needs a WireGuard address, and the stale address of another does not count", () => {
        const planned = plan([
            located({ seed: 1, annotations: { "wireguard-ip": undefined } }),
            located({ seed: 2, annotations: { leader: "", "wireguard-ip": "10.4.0.9/16" } }),
            located({ seed: 3, annotations: { "wireguard-ip": "10.4.0.9/16" } }),
        ]);
        expect(routes(planned)).toEqual({
            "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.1.3.0/24", "10.4.0.9/32"],
        });
        expect(planned.skipped).toEqual([]);
    });

    test("a new leader that has no WireGuard address yet: the one that has one stands in, and no pod is lost", () => {
        const planned = plan([
            located({ seed: 1, annotations: { leader: "", "wireguard-ip": "" } }),
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
                    '"n1" leads location "eu" of "src" but it has no annotation kilo.squat.ai/wireguard-ip yet: "n2" stands in for it, and may not answer',
                fix: "run again in a minute; Kilo writes the address of a new leader within 30 seconds",
            },
        ]);
    });

    test("a leader with a malformed endpoint is skipped, and the next one leads", () => {
        const planned = plan([
            located({ seed: 1, annotations: { leader: "", "clustermesh-endpoint": "x" } }),
            located({ seed: 2 }),
        ]);
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.2.0/24", "10.4.0.2/32"] });
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid"]);
        expect(codes(planned)).toEqual(["warning LeaderCannotLend src/n2"]);
    });

    test("a malformed endpoint of a node that does not lead is nobody's business", () => {
        const planned = plan([
            located({ seed: 1 }),
            located({ seed: 2, annotations: { "clustermesh-endpoint": "x", endpoint: "10.0.0.1:1" } }),
        ]);
        expect(planned.skipped).toEqual([]);
    });

    test("where nobody can lead, every node is skipped with its own reason", () => {
        const planned = plan([
            located({ seed: 1, annotations: { "wireguard-ip": "" } }),
            located({ seed: 2, annotations: { "wireguard-ip": "10.9.0.1/16" } }),
            located({ seed: 3, annotations: { endpoint: "x" } }),
            located({ seed: 4, annotations: { key: "" } }),
        ]);
        expect(peersIn(planned)).toEqual({});
        expect(reasons(planned)).toEqual([
            "src/n1 NodeNoWireguardIP",
            "src/n2 WGIPOutOfRange",
            "src/n3 NodeEndpointInvalid",
            "src/n4 NodeNoPublicKey",
        ]);
    });

    test("the endpoint of the leader must not lie in the pods of any node of the location", () => {
        const planned = plan([
            located({ seed: 1, annotations: { leader: "", endpoint: "10.1.2.7:51820" } }),
            located({ seed: 2 }),
        ]);
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid"]);
        const other = plan([
            located({ seed: 1, annotations: { endpoint: "10.1.2.7:51820" } }),
            located({ seed: 2, annotations: { location: "us" } }),
        ]);
        expect(other.skipped).toEqual([]);
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
