import { readNodes } from "../../../provider/kilo/read-nodes";
import type { KnownNode, NodeFacts } from "../../../provider/kilo/types";
import { decodeFacts, decodeNodes, encodeFacts, encodeNodes } from "../../../provider/state/facts-text";
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
        expect(line).toBe(`pods=10.244.17.0/24 ip=192.168.101.17 key=${key(7)} wg=10.4.0.7/16 endpoint=ip:51820 full`);
        expect(line.length).toBeLessThan(125);
        expect(decodeFacts("n7", line)).toStrictEqual(read);
    });

    test("an address that only begins like another is written out, as every state has it", () => {
        const alike = facts({ internalIPs: ["192.168.1.7"], kiloInternalIP: "192.168.1.70" });
        expect(encodeFacts(alike)).toBe("pods= ip=192.168.1.7 kilo-ip=192.168.1.70");
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
                uid: "0123456789",
                ignored: true,
                dials: true,
            },
        ],
        ["an empty location", { location: "" }],
        ["odd characters", { location: "a b,c%d\n\u0000é😀\ud800 =!", granularity: "%i", key: "%0020" }],
        ["other granularities", { granularity: "constructor", location: "full", kiloEndpoint: "cross" }],
        ["empty list entries", { podCIDRs: [""] }],
        ["more empty list entries", { podCIDRs: ["", "", "x"] }],
        ["what only looks like an abbreviation", { kiloEndpoint: "ip:1", internalIPs: ["10.0.0.1"] }],
        ["another that only looks like one", { kiloEndpoint: "external:1", location: "ip:x" }],
        ["a value with an equals sign", { location: "a=b", key: "==" }],
        ["no address that Kilo uses", { internalIPs: ["10.0.0.1"], noInternalIP: true }],
        ["another address that Kilo uses", { internalIPs: ["10.0.0.1"], kiloInternalIP: "10.0.0.2" }],
        ["an address that only Kilo has", { kiloInternalIP: "" }],
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
        expect(decodeFacts("n", `pods= future=1 key=${key(1)} someday`)).toStrictEqual(facts({ key: key(1) }));
        expect(decodeFacts("n", "pods=")).toStrictEqual(facts());
        expect(decodeFacts("n", "pods= endpoint=ip:1")).toStrictEqual(facts({ kiloEndpoint: "ip:1" }));
    });

    test("nothing of the lettered form is lost: words of a later version, values without their address, nothing at all", () => {
        expect(decodeFacts("n", `zfuture k${key(1)} !Z`)).toStrictEqual(facts({ key: key(1) }));
        expect(decodeFacts("n", "")).toStrictEqual(facts());
        expect(decodeFacts("n", "n%i")).toStrictEqual(facts({ kiloInternalIP: "%i" }));
        expect(decodeFacts("n", "u0123456789 g%C lfull !ID")).toStrictEqual(
            facts({ uid: "0123456789", granularity: "cross", location: "full", ignored: true, dials: true }),
        );
    });

    test("a line of 0.1.0 is read, and that a node was stale then is no fact any more", () => {
        const line = `p10.1.1.0/24 i192.168.0.1 x203.0.113.1 k${key(1)} w10.4.0.1/16 n%i f%x:1 e%i:51820 g%L leu !LNUS`;
        expect(decodeFacts("n", line)).toStrictEqual(
            facts({
                podCIDRs: ["10.1.1.0/24"],
                internalIPs: ["192.168.0.1"],
                externalIPs: ["203.0.113.1"],
                key: key(1),
                wireguardIP: "10.4.0.1/16",
                kiloInternalIP: "192.168.0.1",
                forceEndpoint: "203.0.113.1:1",
                kiloEndpoint: "192.168.0.1:51820",
                granularity: "location",
                location: "eu",
                leader: true,
                noInternalIP: true,
                unselected: true,
            }),
        );
        expect(decodeFacts("n", "!S")).toStrictEqual(facts());
    });

    test("what only holds for one run is not in it: a node that becomes stale changes nothing", () => {
        const node: KnownNode = { ...facts({ key: key(1) }), stale: true, kept: ["key"] };
        expect(encodeFacts(node)).toBe(`pods= key=${key(1)}`);
    });
});

describe("the nodes of a cluster as one text", () => {
    const nodes = [facts({ name: "a", key: key(1) }), facts({ name: "b" })];

    test("come back exactly, in the order of their names", () => {
        expect(encodeNodes([...nodes].reverse())).toBe(`a pods= key=${key(1)}\nb pods=`);
        expect(decodeNodes(encodeNodes(nodes))).toStrictEqual(nodes);
        expect(decodeNodes("")).toEqual([]);
        expect(encodeNodes([])).toBe("");
    });

    test("are read from the record of the first states too", () => {
        expect(decodeNodes({ a: `k${key(1)}`, b: "" })).toStrictEqual(nodes);
        expect(decodeNodes(undefined)).toEqual([]);
        expect(decodeNodes({ a: 7 })).toEqual([]);
    });
});
