import type { KnownNode, NodeFacts } from "../../../provider/kilo/types";
import { type Knowledge, mergeNodes, recordable } from "../../../provider/mesh/knowledge";
import fc from "../../support/chance";
import { key } from "./fixtures";

const facts = (more: Partial<KnownNode> = {}): KnownNode => ({
    name: "n",
    podCIDRs: [],
    internalIPs: [],
    externalIPs: [],
    ...more,
});
const seen = (...nodes: readonly KnownNode[]): Knowledge => ({ state: "seen", nodes, peers: [], observed: {} });
const merged = (last: readonly NodeFacts[], ...nodes: readonly KnownNode[]) => mergeNodes(last, seen(...nodes)).nodes;

const known: NodeFacts = {
    name: "n",
    podCIDRs: ["10.1.1.0/24"],
    internalIPs: ["192.168.0.1"],
    externalIPs: ["203.0.113.1"],
    key: key(1),
    wireguardIP: "10.4.0.1/16",
    kiloEndpoint: "192.0.2.1:51820",
    granularity: "full",
    kiloInternalIP: "192.168.0.1",
    location: "old",
    leader: true,
};
const gone = facts({ podCIDRs: ["10.1.9.0/24"], internalIPs: ["192.168.0.9"], location: "new" });

describe("what was known before fills a gap", () => {
    test("a node whose Kilo annotations are all gone keeps them, and takes the rest from what is there now", () => {
        expect(merged([known], gone)).toEqual([
            {
                ...gone,
                key: key(1),
                wireguardIP: "10.4.0.1/16",
                kiloEndpoint: "192.0.2.1:51820",
                granularity: "full",
                kiloInternalIP: "192.168.0.1",
                kept: ["key", "endpoint", "granularity", "wireguard-ip", "internal-ip"],
            },
        ]);
    });

    test.each<[string, Partial<Record<keyof KnownNode, unknown>>, Partial<KnownNode>]>([
        ["key", { key: undefined }, { kept: ["key"] }],
        ["key", { key: "corrupt" }, { kept: ["key"] }],
        ["key", { key: `${"A".repeat(43)}=` }, { kept: ["key"] }],
        ["endpoint", { kiloEndpoint: undefined }, { kept: ["endpoint"] }],
        ["endpoint", { kiloEndpoint: "nowhere" }, { kept: ["endpoint"] }],
        ["granularity", { granularity: undefined }, { kept: ["granularity"] }],
        ["granularity", { granularity: "FULL" }, { kept: ["granularity"] }],
        ["WireGuard address", { wireguardIP: undefined }, { kept: ["wireguard-ip"] }],
        ["WireGuard address", { wireguardIP: "10.4.0.1" }, { kept: ["wireguard-ip"] }],
        ["internal IP", { kiloInternalIP: undefined }, { kept: ["internal-ip"] }],
        ["pod CIDR", { podCIDRs: [] }, { kept: ["pod CIDR"] }],
        ["pod CIDR", { podCIDRs: ["10.1.1.0/24", "junk"] }, { kept: ["pod CIDR"] }],
        ["addresses", { internalIPs: [], externalIPs: [] }, {}],
    ])("%s alone that is missing or malformed (%j) is kept", (_, more, kept) => {
        expect(merged([known], withoutAbsent({ ...known, ...more }))).toStrictEqual([{ ...known, ...kept }]);
    });

    test.each<[string, Partial<KnownNode>]>([
        ["another valid key", { key: key(2) }],
        ["another valid endpoint", { kiloEndpoint: "192.0.2.9:51820" }],
        ["another granularity", { granularity: "location" }],
        ["another WireGuard address", { wireguardIP: "10.4.0.9/16" }],
        ["another internal IP", { kiloInternalIP: "192.168.7.7" }],
        ["another pod CIDR", { podCIDRs: ["10.1.2.0/24"] }],
        ["another address", { internalIPs: ["192.168.0.7"], externalIPs: [] }],
        ["another address of each kind", { internalIPs: ["192.168.0.7"], externalIPs: ["203.0.113.7"] }],
        ["no location any more, which people write", { location: "" }],
        ["that it is ignored", { ignored: true }],
    ])("%s is a fact, and nothing is kept", (_, more) => {
        const now = { ...known, ...more };
        expect(merged([known], now)).toStrictEqual([now]);
    });

    test.each(["full", "cross", "location"])("granularity %s is one of those that Kilo knows", (granularity) => {
        expect(merged([{ ...known, granularity }], gone)[0]?.granularity).toBe(granularity);
    });

    test("what force-internal-ip says now is not replaced", () => {
        expect(merged([known], { ...gone, kiloInternalIP: "192.168.7.7" })[0]?.kiloInternalIP).toBe("192.168.7.7");
        expect(merged([known], { ...gone, noInternalIP: true })[0]).not.toHaveProperty("kiloInternalIP");
        const { kiloInternalIP: _, ...without } = { ...known, noInternalIP: true };
        expect(merged([without], gone)[0]?.noInternalIP).toBe(true);
    });

    test("only what was known is filled in", () => {
        expect(merged([facts({ key: key(1) })], gone)).toStrictEqual([{ ...gone, key: key(1), kept: ["key"] }]);
    });

    test("what was no good before either is taken as it is", () => {
        expect(merged([facts({ key: "corrupt", kiloEndpoint: "x" })], gone)).toStrictEqual([gone]);
        expect(merged([facts({ key: "corrupt" })], { ...gone, key: "worse" })).toStrictEqual([
            { ...gone, key: "worse" },
        ]);
    });

    test("a node that never had any, or is new, stays bare", () => {
        expect(merged([facts()], gone)).toStrictEqual([gone]);
        expect(merged([{ ...known, name: "other" }], gone)).toStrictEqual([gone]);
        expect(merged([], gone)).toStrictEqual([gone]);
    });
});

describe("what people write", () => {
    test.each(["clustermeshEndpoint", "forceEndpoint"] as const)("a typo in %s keeps the last good one", (field) => {
        const before = { ...known, [field]: "203.0.113.9:51820" };
        expect(merged([before], { ...known, [field]: "203.0.113.9;51820" })).toStrictEqual([before]);
    });

    test.each(["clustermeshEndpoint", "forceEndpoint"] as const)(
        "a typo in a new %s is as if it were not there",
        (field) => {
            expect(merged([known], { ...known, [field]: "gw:" })).toStrictEqual([known]);
        },
    );

    test.each(["clustermeshEndpoint", "forceEndpoint"] as const)(
        "a %s that is taken away is gone: that is a statement",
        (field) => {
            expect(merged([{ ...known, [field]: "203.0.113.9:51820" }], known)).toStrictEqual([known]);
        },
    );

    test("one that never was any good is told as it is", () => {
        const before = { ...known, forceEndpoint: "x" };
        expect(merged([before], { ...known, forceEndpoint: "y" })).toStrictEqual([{ ...known, forceEndpoint: "y" }]);
    });
});

describe("another uid under the same name is a new node", () => {
    const bare = facts({ podCIDRs: ["10.1.1.0/24"], internalIPs: ["192.168.0.1"] });

    test("of which nothing is known", () => {
        expect(merged([{ ...known, uid: "aaaa" }], { ...bare, uid: "bbbb" })).toStrictEqual([{ ...bare, uid: "bbbb" }]);
    });

    test("but the same uid, or one that was not recorded by 0.1.0, is the node itself", () => {
        expect(merged([{ ...known, uid: "aaaa" }], { ...bare, uid: "aaaa" })[0]?.key).toBe(key(1));
        expect(merged([known], { ...bare, uid: "aaaa" })[0]?.key).toBe(key(1));
        expect(merged([{ ...known, uid: "aaaa" }], bare)[0]?.key).toBe(key(1));
    });
});

describe("what one node lost and another has", () => {
    const { key: _, ...keyless } = known;

    test("is that one's: a key", () => {
        const nodes = merged([known], keyless, { ...known, name: "z", podCIDRs: ["10.1.2.0/24"] });
        expect(nodes.map(({ name, key: its }) => [name, its])).toEqual([
            ["n", undefined],
            ["z", key(1)],
        ]);
    });

    test("is that one's: a pod CIDR", () => {
        const nodes = merged([known], { ...known, podCIDRs: [] }, { ...known, name: "z", key: key(2) });
        expect(nodes.map(({ podCIDRs }) => podCIDRs)).toEqual([[], ["10.1.1.0/24"]]);
    });

    test("is that one's: one of two pod CIDRs, or one with host bits", () => {
        const dual = { ...known, podCIDRs: ["10.1.1.0/24", "fd00::/64"] };
        const gained = (...podCIDRs: readonly string[]) => ({ ...known, name: "z", key: key(2), podCIDRs });
        for (const text of ["10.1.1.0/24", "10.1.1.7/24", "fd00::/64"]) {
            expect(merged([dual], { ...known, podCIDRs: [] }, gained(text))[0]?.podCIDRs).toEqual([]);
        }
        const masked = { ...known, podCIDRs: ["10.1.1.7/24"] };
        expect(merged([masked], { ...known, podCIDRs: [] }, gained("10.1.1.0/24"))[0]?.podCIDRs).toEqual([]);
        expect(merged([masked], { ...known, podCIDRs: [] }, gained("10.1.2.0/24"))[0]?.podCIDRs).toEqual([
            "10.1.1.7/24",
        ]);
    });

    test("unless that one had it all along: then nothing was passed on", () => {
        const twin = { ...known, name: "z" };
        expect(merged([known, twin], keyless, twin)[0]?.key).toBe(key(1));
        expect(merged([known, twin], { ...known, podCIDRs: [] }, twin)[0]?.podCIDRs).toEqual(["10.1.1.0/24"]);
    });
});

describe("clusters", () => {
    test("a node whose object is gone is gone", () => {
        const other = { ...known, name: "z" };
        expect(merged([known, other], other).map(({ name }) => name)).toEqual(["z"]);
    });

    test("one that lists none any more keeps them all, unless it is meant to be empty", () => {
        expect(mergeNodes([known], seen())).toEqual({ nodes: [known], keptAll: true });
        expect(mergeNodes([known], seen(), { allowEmpty: false }).keptAll).toBe(true);
        expect(mergeNodes([known], seen(), { allowEmpty: true })).toEqual({ nodes: [], keptAll: false });
        expect(mergeNodes([], seen())).toEqual({ nodes: [], keptAll: false });
    });

    test.each<Knowledge>([
        { state: "silent", reason: "r", fix: "Fix it" },
        { state: "unusable", reason: "r", fix: "Fix it" },
        { state: "unknown" },
    ])("one that is $state is as it was last known", (knowledge) => {
        expect(mergeNodes([known], knowledge)).toEqual({ nodes: [known], keptAll: false });
        expect(mergeNodes([known], knowledge, { allowEmpty: true })).toEqual({ nodes: [known], keptAll: false });
    });
});

test("what only holds for one run is not recorded", () => {
    expect(recordable({ ...known, stale: true, kept: ["key"] })).toStrictEqual(known);
});

describe("merging", () => {
    const text = (...values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const node = fc.record({
        name: fc.constantFrom("a", "b", "c"),
        uid: text("u1", "u2"),
        podCIDRs: fc.constantFrom<readonly string[]>([], ["10.1.1.0/24"], ["10.1.2.0/24"], ["junk"]),
        internalIPs: fc.constantFrom<readonly string[]>([], ["192.168.0.1"]),
        externalIPs: fc.constantFrom<readonly string[]>([], ["203.0.113.1"]),
        key: text(key(1), key(2), "corrupt"),
        wireguardIP: text("10.4.0.1/16", "10.4.0.2/16", "x"),
        granularity: text("full", "location", "LOCATION"),
        kiloEndpoint: text("192.0.2.1:1", "192.0.2.2:1", "x"),
        forceEndpoint: text("192.0.2.3:1", "x", "y"),
        clustermeshEndpoint: text("192.0.2.4:1", "x"),
        kiloInternalIP: text("192.168.0.1"),
        noInternalIP: fc.option(fc.constant(true as const), { nil: undefined }),
    });
    const cluster = fc
        .uniqueArray(node, { selector: ({ name }) => name, maxLength: 3 })
        .map((nodes) => [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1)).map(withoutAbsent));

    test("a second time changes nothing, whatever was recorded and seen", () => {
        fc.assert(
            fc.property(cluster, cluster, fc.boolean(), (last, nodes, allowEmpty) => {
                const once = mergeNodes(last, seen(...nodes), { allowEmpty });
                const recorded = once.nodes.map(recordable);
                expect(mergeNodes(recorded, seen(...nodes), { allowEmpty })).toEqual(once);
                const again = mergeNodes(recorded, seen(...recorded), { allowEmpty });
                expect(again.nodes).toEqual(recorded);
            }),
            { numRuns: 2000 },
        );
    });

    test("never gives a node a fact that neither it nor its former self had", () => {
        fc.assert(
            fc.property(cluster, cluster, (last, nodes) => {
                for (const found of merged(last, ...nodes)) {
                    const now = nodes.find(({ name }) => name === found.name);
                    const before = last.find(({ name }) => name === found.name);
                    expect([now?.key, before?.key]).toContain(found.key);
                    expect([now?.podCIDRs, before?.podCIDRs]).toContainEqual(found.podCIDRs);
                    expect([now?.forceEndpoint, before?.forceEndpoint]).toContain(found.forceEndpoint);
                }
            }),
            { numRuns: 500 },
        );
    });
});

function withoutAbsent(node: object): KnownNode {
    return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined)) as unknown as KnownNode;
}
