import { kiloSegments, whyNotReady } from "../../../provider/kilo/kilo-segments";
import type { KnownNode } from "../../../provider/kilo/types";
import { key } from "../../support/keys";

/** A node that Kilo counts on. */
const ready = (name: string, more: Partial<KnownNode> = {}): KnownNode => ({
    name,
    podCIDRs: ["10.1.1.0/24"],
    internalIPs: [],
    externalIPs: [],
    key: key(1),
    kiloEndpoint: "10.0.0.1:51820",
    granularity: "full",
    ...more,
});

const without = (field: keyof KnownNode, more: Partial<KnownNode> = {}): KnownNode => {
    const { [field]: _, ...node } = ready("n", more);
    return node as KnownNode;
};

test.each<[string, KnownNode]>([
    ["an endpoint that Kilo found", ready("n")],
    ["one that was forced, whatever Kilo found", ready("n", { forceEndpoint: "gw.example:1", kiloEndpoint: "junk" })],
    ["one that Kilo found, whatever was forced", ready("n", { forceEndpoint: "junk" })],
    ["one that was forced alone", without("kiloEndpoint", { forceEndpoint: "gw.example:1" })],
])("Kilo counts on a node with a key, a pod CIDR and %s", (_, node) => {
    expect(whyNotReady(node)).toBeUndefined();
});

test.each<[string, KnownNode]>([
    ["Kilo has not seen it for a minute or more", ready("n", { stale: true })],
    ["it has no key of Kilo's", without("key")],
    ["it has no key of Kilo's", ready("n", { key: "junk" })],
    ["Kilo has found no endpoint for it", without("kiloEndpoint")],
    ["Kilo has found no endpoint for it", ready("n", { kiloEndpoint: "junk" })],
    ["it has no pod CIDR", ready("n", { podCIDRs: [] })],
    ["it has no pod CIDR", ready("n", { podCIDRs: ["junk", "10.1.1.0/24"] })],
    ["annotations of Kilo's are missing", ready("n", { kept: ["granularity"] })],
])("a node is left out of Kilo's mesh because %s", (why, node) => {
    expect(whyNotReady(node)).toBe(why);
});

describe("the segments of a cluster", () => {
    const shape = (nodes: readonly KnownNode[], resolved = {}) =>
        kiloSegments(nodes, resolved).map(
            ({ leader, nodes }) => `${leader.name}: ${nodes.map(({ name }) => name).join(" ")}`,
        );
    const located = (name: string, location?: string, more: Partial<KnownNode> = {}): KnownNode =>
        ready(name, { granularity: "location", ...(location === undefined ? {} : { location }), ...more });

    test("are its ready nodes, by name, where each has tunnels", () => {
        expect(shape([ready("b"), ready("a"), ready("c", { stale: true })])).toEqual(["a: a", "b: b"]);
    });

    test("are its locations, by the name of the leader, of ready nodes only", () => {
        const nodes = [
            located("d", "x"),
            located("c", "x", { leader: true }),
            located("b", "y"),
            located("a", "y", { stale: true, leader: true }),
        ];
        expect(shape(nodes)).toEqual(["b: b", "c: d c"]);
    });

    test("of a location without a name are one", () => {
        expect(shape([located("a"), located("b", ""), located("c", "x")])).toEqual(["a: a b", "c: c"]);
    });

    test("of a node without an internal IP are its own, in a location or not", () => {
        expect(shape([located("a", "x", { noInternalIP: true }), located("b", "x"), located("c", "x")])).toEqual([
            "a: a",
            "b: b c",
        ]);
    });

    test("are led by a node whose name has a public address before one that has a private one", () => {
        const nodes = [located("a", "x"), located("b", "x", { kiloEndpoint: "gw.example:1" })];
        expect(shape(nodes, { "gw.example": "203.0.113.1" })).toEqual(["b: a b"]);
        expect(shape(nodes, { "gw.example": "10.9.9.9" })).toEqual(["a: a b"]);
    });
});
