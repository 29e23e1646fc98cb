import { planMesh } from "../../../provider/mesh/plan-mesh";
import { key, type NodeOptions, node, ours, peersIn, plan, reasons, routes, source, target } from "./fixtures";

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
            'its endpoint 10.1.1.9:1 lies inside 10.1.0.0/16 of "src", which is reached through a tunnel',
        ],
        [
            "its WireGuard address as endpoint",
            { annotations: { endpoint: "10.4.0.1:1" } },
            "NodeEndpointInvalid",
            'its endpoint 10.4.0.1:1 lies inside 10.4.0.0/24 of "src", which is reached through a tunnel',
        ],
        [
            "an endpoint in the service network",
            { annotations: { endpoint: "10.96.0.1:1" } },
            "NodeEndpointInvalid",
            'its endpoint 10.96.0.1:1 lies inside 10.96.0.0/16 of "src", which is reached through a tunnel',
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

    test("a node that is skipped holds no key against a later one, of its cluster or another", () => {
        const bad = node({ seed: 1, annotations: { endpoint: "x" } });
        const planned = plan([bad, node({ seed: 2, annotations: { key: key(1) } })]);
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid"]);
        expect(peersIn(planned)["src--n2"]?.spec.publicKey).toBe(key(1));
        const other = planMesh({
            mesh: "m",
            clusters: [source({ name: "a" }), target({ name: "b" }), { name: "c", podCIDRs: ["10.3.0.0/16"] }],
            nodes: { a: [bad], b: [node({ seed: 2, pods: ["10.2.2.0/24"], annotations: { key: key(1) } })] },
        });
        expect(Object.keys(peersIn(other, "c"))).toEqual(["b--n2"]);
    });

    test("one whose peer is kept holds its key", () => {
        const held = ours("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
        const planned = plan(
            [node({ seed: 1, annotations: { endpoint: "x" } }), node({ seed: 2, annotations: { key: key(1) } })],
            { livePeers: { dst: [held] } },
        );
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1"]);
        expect(reasons(planned)).toEqual(["src/n2 NodePublicKeyDuplicate"]);
    });

    test("a node with several faults is skipped for the first in the order of the table", () => {
        const bad = { pods: ["10.9.0.0/24"], annotations: { "wireguard-ip": "x", key: "x", endpoint: "x" } };
        expect(reasons(plan([node(bad)]))).toEqual(["src/n1 NodePodCIDROutOfRange"]);
        expect(reasons(plan([node({ annotations: bad.annotations })]))).toEqual(["src/n1 NodePublicKeyInvalid"]);
        expect(reasons(plan([node({ annotations: { endpoint: "x" } })]))).toEqual(["src/n1 NodeEndpointInvalid"]);
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
});
