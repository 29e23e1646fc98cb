import { configuredEndpoint, endpointNames, parseEndpoint } from "../../../provider/kilo/endpoint";
import type { NodeFacts } from "../../../provider/kilo/types";
import type { ClusterSpec } from "../../../provider/mesh/types";

const facts = (more: Partial<NodeFacts> = {}): NodeFacts => {
    return { name: "n", podCIDRs: [], internalIPs: [], externalIPs: [], ...more };
};

test.each([
    ["192.0.2.1:51820", { ip: "192.0.2.1" }, 51820, "192.0.2.1:51820"],
    ["192.0.2.1:1", { ip: "192.0.2.1" }, 1, "192.0.2.1:1"],
    ["192.0.2.1:65535", { ip: "192.0.2.1" }, 65535, "192.0.2.1:65535"],
    ["[2001:DB8::1]:51820", { ip: "2001:db8::1" }, 51820, "[2001:db8::1]:51820"],
    ["[192.0.2.1]:51820", { ip: "192.0.2.1" }, 51820, "192.0.2.1:51820"],
    ["gw.example.com:51820", { dns: "gw.example.com" }, 51820, "gw.example.com:51820"],
    ["[gw.example.com]:51820", { dns: "gw.example.com" }, 51820, "gw.example.com:51820"],
    ["GW.Example.com:51820", { dns: "gw.example.com" }, 51820, "gw.example.com:51820"],
    ["gateway:1", { dns: "gateway" }, 1, "gateway:1"],
    ["1a.b1:2", { dns: "1a.b1" }, 2, "1a.b1:2"],
    ["fe.d0:9", { dns: "fe.d0" }, 9, "fe.d0:9"],
    ["10.0.0.1:9", { ip: "10.0.0.1" }, 9, "10.0.0.1:9"],
    ["169.254.1.1:9", { ip: "169.254.1.1" }, 9, "169.254.1.1:9"],
])("%s is an endpoint", (text, dnsOrIP, port, canonical) => {
    expect(parseEndpoint(text)).toMatchObject({ text: canonical, spec: { dnsOrIP, port } });
});

test.each([
    "",
    ":",
    ":51820",
    "[]:51820",
    "192.0.2.1",
    "192.0.2.1:",
    "192.0.2.1:0",
    "192.0.2.1:65536",
    "192.0.2.1:-1",
    "192.0.2.1:+1",
    "192.0.2.1:051820",
    "192.0.2.1:51820 ",
    " 192.0.2.1:51820",
    "192.0.2.1:5x",
    "192.0.2.256:51820",
    "192.0.2:51820",
    "010.0.0.1:51820",
    "2001:db8::1:51820",
    "[2001:db8::1:51820",
    "2001:db8::1]:51820",
    "[2001:db8::1]x:51820",
    "[fe80::1%eth0]:51820",
    "[::ffff:192.0.2.1]:51820",
    "no-colon-at-all",
    "under_score.example:51820",
    "-a.example:51820",
    "a-.example:51820",
    "a..example:51820",
    "gw.example.com.:51820",
    "example.123:51820",
    "123:51820",
    `${"a".repeat(64)}.example:51820`,
    `${"a.".repeat(127)}example:51820`,
    "user@host:51820",
    "host/path:51820",
    "0.0.0.0:51820",
    "127.0.0.1:51820",
    "224.0.0.1:51820",
    "255.255.255.255:51820",
    "[::]:51820",
    "[::1]:51820",
    "[ff02::1]:51820",
])("%j is no endpoint", (text) => {
    expect(parseEndpoint(text)).toBeUndefined();
});

describe("the endpoint a node is configured with", () => {
    const all = facts({
        clustermeshEndpoint: "203.0.113.1:1",
        forceEndpoint: "203.0.113.2:2",
        externalIPs: ["2001:db8::3", "203.0.113.3"],
        kiloEndpoint: "203.0.113.4:4",
        internalIPs: ["203.0.113.5"],
    });
    const without = (...fields: (keyof NodeFacts)[]): NodeFacts => {
        const emptied = fields.map((field) => [field, field.endsWith("IPs") ? [] : undefined]);
        return { ...all, ...Object.fromEntries(emptied) };
    };
    const text = (node: NodeFacts, cluster: Partial<ClusterSpec> = {}) => {
        const found = configuredEndpoint(node, { name: "c", ...cluster });
        return found.kind === "set" ? `${found.endpoint.text}${found.pinned ? " pinned" : ""}` : found.kind;
    };

    test.each([
        ["the clustermesh annotation", all, "203.0.113.1:1 pinned"],
        ["force-endpoint", without("clustermeshEndpoint"), "203.0.113.2:2"],
        ["an external IPv4 address", without("clustermeshEndpoint", "forceEndpoint"), "203.0.113.3:51820"],
        ["what Kilo found", without("clustermeshEndpoint", "forceEndpoint", "externalIPs"), "203.0.113.4:4"],
        [
            "an internal address",
            without("clustermeshEndpoint", "forceEndpoint", "externalIPs", "kiloEndpoint"),
            "203.0.113.5:51820",
        ],
        ["nothing", facts(), "none"],
    ])("is %s when that is the first that is set", (_, node, expected) => {
        expect(text(node)).toBe(expected);
    });

    test("an external IPv6 address is taken where there is no IPv4", () => {
        expect(text(facts({ externalIPs: ["2001:db8::3", "2001:db8::4"], kiloEndpoint: "203.0.113.4:4" }))).toBe(
            "[2001:db8::3]:51820",
        );
    });

    test("addresses that nobody else can reach are passed over", () => {
        const externalIPs = ["127.0.0.1", "169.254.0.1", "fe80::1", "::1", "not-an-ip", "203.0.113.9"];
        expect(text(facts({ externalIPs }))).toBe("203.0.113.9:51820");
        expect(text(facts({ externalIPs: ["169.254.0.1"], internalIPs: ["fe80::1"] }))).toBe("none");
    });

    test("addresses go with the cluster's port, annotations with their own", () => {
        expect(text(facts({ internalIPs: ["203.0.113.5"] }), { wireguardPort: 7 })).toBe("203.0.113.5:7");
        expect(text(facts({ kiloEndpoint: "203.0.113.4:4" }), { wireguardPort: 7 })).toBe("203.0.113.4:4");
    });

    test.each(["clustermeshEndpoint", "forceEndpoint", "kiloEndpoint"] as const)(
        "a malformed %s is not passed over",
        (field) => {
            const node = facts({ internalIPs: ["203.0.113.5"], [field]: "garbage" });
            expect(configuredEndpoint(node, {})).toMatchObject({ kind: "malformed", value: "garbage" });
        },
    );

    test("an empty annotation is not set", () => {
        expect(text(facts({ clustermeshEndpoint: "", internalIPs: ["203.0.113.5"] }))).toBe("203.0.113.5:51820");
    });

    test("is none behind NAT, whatever the node says", () => {
        expect(text(all, { nat: true })).toBe("none");
        expect(text(all, { nat: false })).toBe("203.0.113.1:1 pinned");
        expect(text(facts({ forceEndpoint: "garbage" }), { nat: true })).toBe("none");
    });
});

test("the names to look up are those that would win, each once and sorted", () => {
    const nodes = [
        facts({ forceEndpoint: "z.example:1" }),
        facts({ forceEndpoint: "a.example:1" }),
        facts({ kiloEndpoint: "a.example:2" }),
        facts({ forceEndpoint: "203.0.113.1:1", kiloEndpoint: "loser.example:1" }),
        facts({ forceEndpoint: "garbage" }),
        facts(),
    ];
    expect(endpointNames(nodes)).toEqual(["a.example", "z.example"]);
    expect(endpointNames(nodes, { nat: true })).toEqual([]);
});

test.each(["a:1", "gw.x:1", "a.b.c:1"])("names and labels may be one letter: %s", (text) => {
    expect(parseEndpoint(text)?.text).toBe(text);
});

test("only names are looked up", () => {
    const at = (kiloEndpoint: string): NodeFacts => facts({ kiloEndpoint });
    expect(endpointNames([at("192.0.2.1:1"), at("gw.example:1")])).toStrictEqual(["gw.example"]);
});
