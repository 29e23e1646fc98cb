import { key, located, node, peersIn, plan, routes, saidBy, target } from "./fixtures";

const FIX =
    "Run again in a minute: Kilo writes addresses up to 30 seconds late; if it stays, compare wireguardCIDR with Kilo's --subnet";
const flat = (...allowedNetworks: readonly string[]) => ({ clusters: [{ name: "src", allowedNetworks }, target()] });

describe("a WireGuard address that cannot be used costs its own route and never the node", () => {
    const good = node({ seed: 9, name: "zz" });

    test.each<[string, string | undefined, string]>([
        ["missing", undefined, '"n1" (has none yet)'],
        ["empty", "", '"n1" (has none yet)'],
        ["unreadable", "10.4.0.1", '"n1" ("10.4.0.1" is not an address with a prefix)'],
        ["out of range", "10.5.0.1/8", '"n1" (10.5.0.1 is not inside wireguardCIDR)'],
    ])("%s", (_, address, said) => {
        const planned = plan([node({ annotations: { "wireguard-ip": address } }), good]);
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24"], "src--zz": ["10.1.9.0/24", "10.4.0.9/32"] });
        expect(planned.skipped).toEqual([]);
        expect(planned.issues).toEqual([
            {
                code: "WireguardAddressLeftOut",
                severity: "info",
                path: "src",
                message: `no WireGuard address of "src" is advertised for ${said}`,
                fix: FIX,
            },
        ]);
    });

    test("claimed by two fresh nodes: neither has it, for Kilo's annotations do not tell whose it is", () => {
        const planned = plan([
            node({ seed: 1, annotations: { "wireguard-ip": "10.4.0.9/24" } }),
            good,
            node({ seed: 2 }),
        ]);
        expect(routes(planned)).toEqual({
            "src--n1": ["10.1.1.0/24"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
            "src--zz": ["10.1.9.0/24"],
        });
        expect(planned.skipped).toEqual([]);
        expect(saidBy(planned, "WireguardAddressLeftOut")).toEqual([
            'no WireGuard address of "src" is advertised for "n1" (10.4.0.9 is claimed twice), "zz" (10.4.0.9 is claimed twice)',
        ]);
    });

    test("claimed by a node and remembered of another: the one that says so has it", () => {
        const { facts } = plan([node({ seed: 1 }), node({ seed: 2 })]);
        const renumbered = [
            node({ seed: 1, annotations: { "wireguard-ip": "" } }),
            node({ seed: 2, annotations: { "wireguard-ip": "10.4.0.1/16" } }),
        ];
        expect(routes(plan(renumbered, { lastKnown: facts }))).toEqual({
            "src--n1": ["10.1.1.0/24"],
            "src--n2": ["10.1.2.0/24", "10.4.0.1/32"],
        });
    });

    test("of two locations with one address neither has it, and both keep their peers", () => {
        const planned = plan([
            located({ seed: 1, annotations: { location: "us", "wireguard-ip": "10.4.0.9/16" } }),
            located({ seed: 2, annotations: { "wireguard-ip": "10.4.0.9/16" } }),
        ]);
        expect(routes(planned)).toEqual({
            "src--location-eu": ["10.1.2.0/24"],
            "src--location-us": ["10.1.1.0/24"],
        });
        expect(planned.skipped).toEqual([]);
    });

    test("only the leader of a location needs one", () => {
        const planned = plan([
            located({ seed: 1, annotations: { "wireguard-ip": undefined } }),
            located({ seed: 2, annotations: { leader: "" } }),
        ]);
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.2/32"] });
        expect(planned.issues).toEqual([]);
    });
});

test("without wireguardCIDR no address is needed, checked or advertised", () => {
    const nodes = [
        node({ annotations: { "wireguard-ip": "junk" } }),
        node({ seed: 2, annotations: { "wireguard-ip": undefined } }),
    ];
    const planned = plan(nodes, { clusters: [{ name: "src", podCIDRs: ["10.1.0.0/16"] }, target()] });
    expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24"], "src--n2": ["10.1.2.0/24"] });
    expect(planned.issues).toEqual([]);
});

describe("in the flat form", () => {
    test("an address among its own pods needs no route; among another's it gets none", () => {
        const planned = plan(
            [
                node({ seed: 1, annotations: { "wireguard-ip": "10.1.1.1/16" } }),
                node({ seed: 2, annotations: { "wireguard-ip": "10.1.1.2/16" } }),
            ],
            flat("10.1.0.0/16"),
        );
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24"], "src--n2": ["10.1.2.0/24"] });
        expect(planned.skipped).toEqual([]);
        expect(saidBy(planned, "WireguardAddressLeftOut")).toEqual([
            'no WireGuard address of "src" is advertised for "n2" (10.1.1.2 lies in the pod CIDR of "n1")',
        ]);
    });

    test("an address among the pods of one of its families needs no route", () => {
        const planned = plan(
            [node({ pods: ["10.1.1.0/24", "fd00:1::/64"], annotations: { "wireguard-ip": "10.1.1.1/16" } })],
            flat("10.1.0.0/16", "fd00:1::/48"),
        );
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24", "fd00:1::/64"] });
        expect(planned.issues).toEqual([]);
    });

    test("one out of all ranges, or missing, is left out", () => {
        const nodes = [
            node({ seed: 1, annotations: { "wireguard-ip": "10.9.0.1/24" } }),
            node({ seed: 2, annotations: { "wireguard-ip": undefined } }),
        ];
        const planned = plan(nodes, flat("10.1.0.0/16", "10.4.0.0/24"));
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "src--n2"]);
        expect(peersIn(planned)["src--n1"]?.spec.publicKey).toBe(key(1));
        expect(saidBy(planned, "WireguardAddressLeftOut")).toEqual([
            'no WireGuard address of "src" is advertised for "n1" (10.9.0.1 is not inside allowedNetworks), "n2" (has none yet)',
        ]);
    });
});
