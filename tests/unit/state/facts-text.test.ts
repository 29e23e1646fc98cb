import { readNodes } from "../../../provider/kilo/read-nodes";
import type { NodeFacts } from "../../../provider/kilo/types";
import { mergeFacts } from "../../../provider/mesh/merge-facts";
import { decodeFacts, encodeFacts } from "../../../provider/state/facts-text";
import { key, node } from "../mesh/fixtures";

const facts = (more: Partial<NodeFacts> = {}): NodeFacts => {
    return { name: "n", podCIDRs: [], internalIPs: [], externalIPs: [], ...more };
};

describe("a node is kept as one line", () => {
    test("which is short for an ordinary node, and says it all", () => {
        const [read] = readNodes(
            [
                node({
                    seed: 7,
                    pods: ["10.244.17.0/24"],
                    annotations: {
                        "wireguard-ip": "10.4.0.7/16",
                        endpoint: "192.168.101.17:51820",
                        "internal-ip": "192.168.101.17/24",
                    },
                    addresses: [{ type: "InternalIP", address: "192.168.101.17" }],
                }),
            ],
            {},
        );
        const line = encodeFacts(read!);
        expect(line).toBe(`p10.244.17.0/24 i192.168.101.17 k${key(7)} w10.4.0.7/16 n%i e%i:51820 g%F`);
        expect(line.length).toBeLessThan(110);
        expect(decodeFacts("n7", line)).toStrictEqual(read);
    });

    test.each<[string, Partial<NodeFacts>]>([
        ["nothing", {}],
        [
            "every field",
            {
                podCIDRs: ["10.1.1.0/24", "fd00::/64"],
                internalIPs: ["192.168.0.1", "fd00::1"],
                externalIPs: ["203.0.113.1"],
                key: key(1),
                wireguardIP: "10.4.0.1/16",
                kiloInternalIP: "192.168.0.1",
                granularity: "location",
                location: "eu",
                leader: true,
                noInternalIP: true,
                clustermeshEndpoint: "203.0.113.1:1",
                forceEndpoint: "[fd00::1]:2",
                kiloEndpoint: "192.168.0.1:3",
                unselected: true,
                stale: true,
            },
        ],
        ["an empty location", { location: "" }],
        ["odd characters", { location: "a b,c%d\n\u0000é😀\ud800 =!", granularity: "%i", key: "%0020" }],
        ["other granularities", { granularity: "constructor", location: "full", kiloEndpoint: "cross" }],
        ["empty list entries", { podCIDRs: [""] }],
        ["more empty list entries", { podCIDRs: ["", "", "x"] }],
        ["what only looks like an abbreviation", { kiloEndpoint: "%i:1", internalIPs: ["10.0.0.1"] }],
        ["an endpoint without port", { kiloEndpoint: "10.0.0.1", internalIPs: ["10.0.0.1"] }],
        ["an address that begins like another", { kiloEndpoint: "10.0.0.11:5", internalIPs: ["10.0.0.1"] }],
        ["a port of odd characters", { kiloEndpoint: "10.0.0.1: ,%", internalIPs: ["10.0.0.1"] }],
        [
            "the external address",
            { kiloEndpoint: "203.0.113.1:5", internalIPs: ["10.0.0.1"], externalIPs: ["203.0.113.1"] },
        ],
        ["a colon at the start", { kiloEndpoint: ":5", internalIPs: [""] }],
    ])("and comes back exactly: %s", (_, more) => {
        const given = facts(more);
        const line = encodeFacts(given);
        expect(line).toMatch(/^[\x20-\x7e]*$/);
        expect(decodeFacts("n", line)).toStrictEqual(given);
    });

    test("words of a later version are passed over", () => {
        expect(decodeFacts("n", `zfuture k${key(1)} !Z`)).toStrictEqual(facts({ key: key(1) }));
        expect(decodeFacts("n", "")).toStrictEqual(facts());
        expect(decodeFacts("n", "n%i")).toStrictEqual(facts({ kiloInternalIP: "%i" }));
    });
});

describe("what was known before fills a gap", () => {
    const known = facts({
        podCIDRs: ["10.1.1.0/24"],
        key: key(1),
        wireguardIP: "10.4.0.1/16",
        kiloEndpoint: "192.0.2.1:51820",
        granularity: "full",
        kiloInternalIP: "192.168.0.1",
        location: "old",
        leader: true,
    });
    const gone = facts({ podCIDRs: ["10.1.9.0/24"], internalIPs: ["192.168.0.9"], location: "new", stale: true });

    test("a node whose Kilo annotations are all gone keeps them, and takes the rest from what is there now", () => {
        expect(mergeFacts([known], [gone])).toEqual({
            facts: [
                {
                    ...gone,
                    key: key(1),
                    wireguardIP: "10.4.0.1/16",
                    kiloEndpoint: "192.0.2.1:51820",
                    granularity: "full",
                    kiloInternalIP: "192.168.0.1",
                },
            ],
            keptNodes: ["n"],
            keptAll: false,
        });
    });

    test.each(["key", "wireguardIP", "kiloEndpoint", "granularity"] as const)(
        "one that still has its %s is taken as it is",
        (field) => {
            const fresh = { ...gone, [field]: "x" };
            expect(mergeFacts([known], [fresh])).toEqual({ facts: [fresh], keptNodes: [], keptAll: false });
        },
    );

    test("what force-internal-ip says now is not replaced", () => {
        expect(mergeFacts([known], [{ ...gone, kiloInternalIP: "192.168.7.7" }]).facts[0]?.kiloInternalIP).toBe(
            "192.168.7.7",
        );
        expect(mergeFacts([known], [{ ...gone, noInternalIP: true }]).facts[0]).not.toHaveProperty("kiloInternalIP");
        const without = { ...known, noInternalIP: true };
        expect(mergeFacts([without], [gone]).facts[0]?.noInternalIP).toBe(true);
    });

    test("only what was known is filled in", () => {
        const { facts: merged } = mergeFacts([facts({ key: key(1) })], [gone]);
        expect(merged).toStrictEqual([{ ...gone, key: key(1) }]);
    });

    test("a node that never had any, or is new, stays bare", () => {
        expect(mergeFacts([facts()], [gone])).toEqual({ facts: [gone], keptNodes: [], keptAll: false });
        expect(mergeFacts([{ ...known, name: "other" }], [gone])).toEqual({
            facts: [gone],
            keptNodes: [],
            keptAll: false,
        });
        expect(mergeFacts([], [gone])).toEqual({ facts: [gone], keptNodes: [], keptAll: false });
    });

    test("a node whose object is gone is gone", () => {
        expect(
            mergeFacts([known, { ...known, name: "z" }], [{ ...known, name: "z" }]).facts.map(({ name }) => name),
        ).toEqual(["z"]);
    });

    test("a cluster that lists none any more keeps them all, unless it is meant to be empty", () => {
        expect(mergeFacts([known], [])).toEqual({ facts: [known], keptNodes: [], keptAll: true });
        expect(mergeFacts([known], [], { allowEmpty: false }).keptAll).toBe(true);
        expect(mergeFacts([known], [], { allowEmpty: true })).toEqual({ facts: [], keptNodes: [], keptAll: false });
        expect(mergeFacts([], [])).toEqual({ facts: [], keptNodes: [], keptAll: false });
    });
});
