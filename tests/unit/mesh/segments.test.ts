import type { ClusterSpec } from "../../../provider/mesh/types";
import { codes, key, type NodeOptions, node, peersIn, plan, routes } from "./fixtures";

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

    test("pods must lie in one of the ranges", () => {
        const planned = plan([node({ seed: 1, pods: ["10.9.0.0/24"] })], flat("10.1.0.0/16", "10.4.0.0/24"));
        expect(planned.skipped.map(({ message }) => message)).toEqual([
            "its pod CIDR 10.9.0.0/24 is not inside the cluster's allowedNetworks",
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
