import type { ClusterSpec } from "../../../provider/mesh/types";
import { codes, key, type NodeOptions, node, peersIn, plan, reasons } from "./fixtures";

const routes = (planned: ReturnType<typeof plan>) =>
    Object.fromEntries(Object.entries(peersIn(planned)).map(([name, { spec }]) => [name, spec.allowedIPs]));
const keys = (planned: ReturnType<typeof plan>) =>
    Object.fromEntries(Object.entries(peersIn(planned)).map(([name, { spec }]) => [name, spec.publicKey]));

describe.each(["full", "cross"])("granularity %s: one peer per node", (granularity) => {
    test("with pods of both families, WireGuard address and endpoint; the first carries what belongs to no node", () => {
        const nodes = [2, 1].map((seed) =>
            node({
                seed,
                pods: [`fd00:1:0:${seed}::/64`, `10.1.${seed}.0/24`],
                annotations: { granularity, location: "eu" },
            }),
        );
        const src: Partial<ClusterSpec> = {
            podCIDRs: ["10.1.0.0/16", "fd00:1::/48"],
            serviceCIDR: "10.96.0.0/16",
            additionalCIDRs: ["172.20.0.0/16", "10.97.0.0/16"],
        };
        const planned = plan(nodes, { src });
        expect(planned.peers).toEqual({
            src: {},
            dst: {
                "m--src--n1": {
                    labels: {
                        "kilo-clustermesh.io/mesh": "m",
                        "kilo-clustermesh.io/source-cluster": "src",
                        "kilo-clustermesh.io/claim": "c-dst",
                        "app.kubernetes.io/managed-by": "pulumi",
                    },
                    spec: {
                        allowedIPs: [
                            "10.1.1.0/24",
                            "fd00:1:0:1::/64",
                            "10.4.0.1/32",
                            "10.96.0.0/16",
                            "10.97.0.0/16",
                            "172.20.0.0/16",
                        ],
                        publicKey: key(1),
                        endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
                    },
                },
                "m--src--n2": {
                    labels: expect.anything(),
                    spec: {
                        allowedIPs: ["10.1.2.0/24", "fd00:1:0:2::/64", "10.4.0.2/32"],
                        publicKey: key(2),
                        endpoint: { dnsOrIP: { ip: "192.0.2.2" }, port: 51820 },
                    },
                },
            },
        });
        expect(planned.skipped).toEqual([]);
        expect(planned.issues).toEqual([]);
    });
});

test.each([undefined, "", "mesh", "LOCATION"])(
    "granularity %j is not known: one peer per node, and a hint",
    (granularity) => {
        const planned = plan([1, 2].map((seed) => node({ seed, annotations: { granularity, location: "eu" } })));
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "src--n2"]);
        expect(codes(planned)).toEqual(["info GranularityUnknown src"]);
    },
);

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

describe("a node is skipped, and the rest goes on", () => {
    const good = node({ seed: 9, name: "zz" });

    test.each<[string, NodeOptions, string, string]>([
        ["no pod CIDR", { pods: [] }, "NodeNoPodCIDR", "it has no pod CIDR yet"],
        [
            "an unreadable pod CIDR",
            { pods: ["10.1.1.0/24", "x\n"] },
            "NodeNoPodCIDR",
            'its pod CIDR "x\\u000a" cannot be read',
        ],
        [
            "pods out of range",
            { pods: ["10.9.1.0/24"] },
            "NodePodCIDROutOfRange",
            "its pod CIDR 10.9.1.0/24 is not inside the cluster's podCIDRs",
        ],
        [
            "pods of which the second is out of range",
            { pods: ["10.1.1.0/24", "fd00::/64"] },
            "NodePodCIDROutOfRange",
            "its pod CIDR fd00::/64 is not inside the cluster's podCIDRs",
        ],
        [
            "pods larger than the range",
            { pods: ["10.0.0.0/15"] },
            "NodePodCIDROutOfRange",
            "its pod CIDR 10.0.0.0/15 is not inside the cluster's podCIDRs",
        ],
        [
            "no WireGuard address",
            { annotations: { "wireguard-ip": undefined } },
            "NodeNoWireguardIP",
            "it has no annotation kilo.squat.ai/wireguard-ip yet",
        ],
        [
            "an unreadable WireGuard address",
            { annotations: { "wireguard-ip": "10.4.0.1" } },
            "WGIPInvalid",
            'its WireGuard address "10.4.0.1" is not an address with a prefix',
        ],
        [
            "a WireGuard address out of range",
            { annotations: { "wireguard-ip": "10.5.0.1/8" } },
            "WGIPOutOfRange",
            "its WireGuard address 10.5.0.1 is not inside the cluster's wireguardCIDR",
        ],
        ["no key", { annotations: { key: "" } }, "NodeNoPublicKey", "it has no annotation kilo.squat.ai/key yet"],
        [
            "a short key",
            { annotations: { key: "c2hvcnQ=" } },
            "NodePublicKeyInvalid",
            'its public key "c2hvcnQ=" is not 32 bytes of base64',
        ],
        [
            "the zero key",
            { annotations: { key: `${"A".repeat(43)}=` } },
            "NodePublicKeyInvalid",
            `its public key "${"A".repeat(43)}=" is not 32 bytes of base64`,
        ],
        [
            "a malformed endpoint",
            { annotations: { "force-endpoint": "garbage" } },
            "NodeEndpointInvalid",
            'its kilo.squat.ai/force-endpoint "garbage" is not host:port',
        ],
        [
            "an endpoint among its own pods",
            { annotations: { endpoint: "10.1.1.9:1" } },
            "NodeEndpointInvalid",
            'its endpoint 10.1.1.9:1 lies inside the pod CIDR of "n1", which is reached through it',
        ],
        [
            "its WireGuard address as endpoint",
            { annotations: { endpoint: "10.4.0.1:1" } },
            "NodeEndpointInvalid",
            "its endpoint 10.4.0.1:1 lies inside 10.4.0.1/32, which is reached through it",
        ],
        [
            "an endpoint in the service network",
            { annotations: { endpoint: "10.96.0.1:1" } },
            "NodeEndpointInvalid",
            "its endpoint 10.96.0.1:1 lies inside 10.96.0.0/16, which is reached through it",
        ],
    ])("with %s", (_, options, reason, message) => {
        const planned = plan([node(options), good], { src: { serviceCIDR: "10.96.0.0/16" } });
        expect(planned.skipped).toEqual([{ cluster: "src", node: "n1", reason, message }]);
        expect(routes(planned)).toEqual({ "src--zz": ["10.1.9.0/24", "10.4.0.9/32", "10.96.0.0/16"] });
    });

    test.each<[string, NodeOptions, string]>([
        [
            "its pod CIDR",
            { pods: ["10.1.9.0/24"] },
            'NodePodCIDRDuplicate: its pod CIDR 10.1.9.0/24 overlaps that of "a"',
        ],
        [
            "a part of its pod CIDR",
            { pods: ["10.1.9.128/25"] },
            'NodePodCIDRDuplicate: its pod CIDR 10.1.9.128/25 overlaps that of "a"',
        ],
        [
            "more than its pod CIDR",
            { pods: ["10.1.8.0/23"] },
            'NodePodCIDRDuplicate: its pod CIDR 10.1.8.0/23 overlaps that of "a"',
        ],
        [
            "its WireGuard address",
            { annotations: { "wireguard-ip": "10.4.0.9/24" } },
            'WGIPDuplicate: its WireGuard address 10.4.0.9 is also that of "a"',
        ],
        [
            "its key",
            { annotations: { key: key(9) } },
            'NodePublicKeyDuplicate: its public key is also that of "a" of "src"',
        ],
    ])("that shares %s with an earlier one", (_, options, expected) => {
        const planned = plan([node(options), node({ seed: 9, name: "a" })]);
        expect(planned.skipped.map(({ node: name, reason, message }) => `${name} ${reason}: ${message}`)).toEqual([
            `n1 ${expected}`,
        ]);
    });

    test("a node that is skipped holds no key and no address against a later one", () => {
        const planned = plan([
            node({ seed: 1, annotations: { endpoint: "x" } }),
            node({ seed: 2, annotations: { key: key(1), "wireguard-ip": "10.4.0.1/16" } }),
        ]);
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid"]);
    });

    test("a node with several faults is skipped for the first in the order of the table", () => {
        const bad = { pods: ["10.9.0.0/24"], annotations: { "wireguard-ip": "x", key: "x", endpoint: "x" } };
        expect(reasons(plan([node(bad)]))).toEqual(["src/n1 NodePodCIDROutOfRange"]);
        expect(reasons(plan([node({ annotations: bad.annotations })]))).toEqual(["src/n1 WGIPInvalid"]);
        expect(reasons(plan([node({ annotations: { ...bad.annotations, "wireguard-ip": "10.4.0.1/24" } })]))).toEqual([
            "src/n1 NodePublicKeyInvalid",
        ]);
    });

    test("keys are unique in the whole mesh: the first cluster by name has it", () => {
        const planned = plan([node({ seed: 1 })], {
            nodes: { dst: [node({ seed: 2, pods: ["10.2.1.0/24"], annotations: { key: key(1) } })] },
        });
        // in the cluster of the loser the key would break its own tunnels, so it is not written there either
        expect(reasons(planned)).toEqual(["dst/n2 PeerKeyForeign in src", "src/n1 NodePublicKeyDuplicate"]);
        expect(Object.keys(peersIn(planned, "src"))).toEqual([]);
        expect(reasons(plan([node({ seed: 1, annotations: { key: undefined } })], { nodes: { dst: [] } }))).toEqual([
            "src/n1 NodeNoPublicKey",
        ]);
    });

    test("pod CIDRs with host bits are masked, nested ones of one node are one", () => {
        expect(routes(plan([node({ pods: ["10.1.1.7/24", "10.1.1.128/25", "10.1.1.0/24"] })]))).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32"],
        });
    });

    test("without wireguardCIDR no address is needed, checked or advertised", () => {
        const { wireguardCIDR: _, ...bare } = { name: "src", podCIDRs: ["10.1.0.0/16"], wireguardCIDR: "" };
        const nodes = [
            node({ annotations: { "wireguard-ip": "junk" } }),
            node({ seed: 2, annotations: { "wireguard-ip": undefined } }),
        ];
        const planned = plan(nodes, { clusters: [bare, { name: "dst", podCIDRs: ["10.2.0.0/16"] }] });
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24"], "src--n2": ["10.1.2.0/24"] });
    });

    test("a node that the selector leaves out is neither planned nor reported", () => {
        const planned = plan([node(), node({ seed: 2, labels: { pool: "mesh" } })], {
            src: { nodeSelector: { pool: "mesh" } },
        });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n2"]);
        expect(planned.skipped).toEqual([]);
    });

    test("a stale node keeps its peer, with a warning", () => {
        const planned = plan(
            [node({ annotations: { "last-seen": "1" } }), node({ seed: 2, annotations: { "last-seen": "990" } })],
            { now: 1000 },
        );
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "src--n2"]);
        expect(planned.issues).toEqual([
            {
                code: "NodeStale",
                severity: "warning",
                path: "src",
                message: '1 node of "src" ("n1") not seen by Kilo for a minute or more; their peers are kept',
                fix: "look at the Kilo pods there; if every node is listed, compare the clocks",
            },
        ]);
    });
});

describe("the flat form", () => {
    const flat = (...allowedNetworks: readonly string[]) => ({
        clusters: [
            { name: "src", allowedNetworks },
            { name: "dst", podCIDRs: ["10.2.0.0/16"] },
        ],
    });

    test("what no node covers rides on the first segment", () => {
        const planned = plan(
            [node({ seed: 1 }), node({ seed: 2 })],
            flat("10.1.0.0/16", "10.4.0.0/24", "10.96.0.0/12", "192.168.103.0/24"),
        );
        expect(routes(planned)).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "10.96.0.0/12", "192.168.103.0/24"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });

    test("a skipped node still covers its range: its pods are not sent to another node", () => {
        const planned = plan(
            [
                node({ seed: 1 }),
                node({ seed: 2, pods: ["10.7.2.0/24"], annotations: { key: "" } }),
                node({ seed: 3, annotations: { "wireguard-ip": "10.8.0.1/24", key: "" } }),
            ],
            flat("10.1.0.0/16", "10.4.0.0/24", "10.7.0.0/16", "10.8.0.0/24", "10.9.0.0/24"),
        );
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "10.9.0.0/24"] });
    });

    test("pods and addresses must lie in one of the ranges", () => {
        const planned = plan(
            [
                node({ seed: 1, pods: ["10.9.0.0/24"] }),
                node({ seed: 2, annotations: { "wireguard-ip": "10.9.0.1/24" } }),
            ],
            flat("10.1.0.0/16", "10.4.0.0/24"),
        );
        expect(planned.skipped.map(({ message }) => message)).toEqual([
            "its pod CIDR 10.9.0.0/24 is not inside the cluster's allowedNetworks",
            "its WireGuard address 10.9.0.1 is not inside the cluster's allowedNetworks",
        ]);
    });

    test("a WireGuard address among its own pods needs no route; among another's it is refused", () => {
        const planned = plan(
            [
                node({ seed: 1, annotations: { "wireguard-ip": "10.1.1.1/16" } }),
                node({ seed: 2, annotations: { "wireguard-ip": "10.1.1.2/16" } }),
            ],
            flat("10.1.0.0/16"),
        );
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24"] });
        expect(planned.skipped).toEqual([
            {
                cluster: "src",
                node: "n2",
                reason: "WGIPOutOfRange",
                message: 'its WireGuard address 10.1.1.2 lies in the pod CIDR of "n1"',
            },
        ]);
    });

    test("needs a WireGuard address", () => {
        expect(reasons(plan([node({ annotations: { "wireguard-ip": undefined } })], flat("10.1.0.0/16")))).toEqual([
            "src/n1 NodeNoWireguardIP",
        ]);
    });
});

describe("keepalive", () => {
    const keepalive = (src: Partial<ClusterSpec>, annotations: NodeOptions["annotations"] = {}) =>
        peersIn(plan([node({ annotations })], { src }))["src--n1"]?.spec.persistentKeepalive;

    test.each<[string, Partial<ClusterSpec>, NodeOptions["annotations"], number | undefined]>([
        ["is off by default", {}, {}, undefined],
        ["is the cluster's", { persistentKeepalive: 17 }, {}, 17],
        ["is left out when 0", { persistentKeepalive: 0 }, {}, undefined],
        ["is 25 without an endpoint", {}, { endpoint: undefined }, 25],
        [
            "is 25 without an endpoint even when 0 was asked for",
            { persistentKeepalive: 0 },
            { endpoint: undefined },
            25,
        ],
        ["is the cluster's without an endpoint", { persistentKeepalive: 17 }, { endpoint: undefined }, 17],
        ["is 25 behind NAT", { nat: true }, {}, 25],
        ["is the cluster's behind NAT", { nat: true, persistentKeepalive: 17 }, {}, 17],
        ["is 25 behind NAT even when 0 was asked for", { nat: true, persistentKeepalive: 0 }, {}, 25],
    ])("%s", (_, src, annotations, expected) => {
        expect(keepalive(src, annotations)).toBe(expected);
    });

    test("behind NAT there is no endpoint", () => {
        expect(peersIn(plan([node()], { src: { nat: true } }))["src--n1"]?.spec).not.toHaveProperty("endpoint");
    });
});

describe("node addresses", () => {
    const src = { nodeCIDRs: ["192.168.7.0/24", "fd00:7::/64"] };
    const at = (...addresses: readonly [string, string][]) => addresses.map(([type, address]) => ({ type, address }));

    test("inside nodeCIDRs are host routes, also the one that Kilo uses", () => {
        const planned = plan(
            [
                node({
                    annotations: { "force-internal-ip": "192.168.7.9/32" },
                    addresses: at(
                        ["InternalIP", "192.168.7.5"],
                        ["InternalIP", "10.77.0.1"],
                        ["InternalIP", "fd00:7::5"],
                        ["ExternalIP", "192.168.7.1"],
                    ),
                }),
            ],
            { src },
        );
        // without force-endpoint the external address is the endpoint, so no route leads to it
        expect(routes(planned)).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "192.168.7.5/32", "192.168.7.9/32", "fd00:7::5/128"],
        });
    });

    test("are left out where they are an endpoint of the same target, their own or another's", () => {
        const planned = plan(
            [
                node({
                    seed: 1,
                    annotations: { endpoint: "192.168.7.1:51820" },
                    addresses: at(["InternalIP", "192.168.7.1"]),
                }),
                node({
                    seed: 2,
                    annotations: { endpoint: "192.168.7.3:51820" },
                    addresses: at(["InternalIP", "192.168.7.2"]),
                }),
                node({ seed: 3, addresses: at(["InternalIP", "192.168.7.3"]) }),
            ],
            { src },
        );
        expect(routes(planned)).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32", "192.168.7.2/32"],
            "src--n3": ["10.1.3.0/24", "10.4.0.3/32"],
        });
    });

    test("are left out where a node of the target itself, or a stranger's peer, is reached there", () => {
        const planned = plan(
            [1, 2, 3].map((seed) => node({ seed, addresses: at(["InternalIP", `192.168.7.${seed}`]) })),
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
        expect(
            Object.values(routes(planned))
                .flat()
                .filter((cidr) => cidr.startsWith("192.")),
        ).toEqual(["192.168.7.3/32"]);
    });

    test("of two nodes with one address the first by name has it", () => {
        const planned = plan(
            [2, 1].map((seed) => node({ seed, addresses: at(["InternalIP", "192.168.7.7"]) })),
            { src },
        );
        expect(routes(planned)["src--n1"]).toContain("192.168.7.7/32");
        expect(routes(planned)["src--n2"]).not.toContain("192.168.7.7/32");
    });
});
