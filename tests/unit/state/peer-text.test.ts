import { adoptionOf, type Peer } from "../../../provider/kilo/peer";
import type { KubePeer } from "../../../provider/kilo/types";
import { decodePeer, encodePeer } from "../../../provider/state/peer-text";
import { lineOf } from "../../support/peer-line";
import { key } from "../mesh/fixtures";

const KEY = key(1);
const DISCOVERED = "kilo-clustermesh.io/discovered-endpoint";
const CONFIGURED = "kilo-clustermesh.io/configured-endpoint";

const planned: readonly [string, Peer, string][] = [
    [
        "an IPv4 endpoint",
        {
            spec: {
                publicKey: KEY,
                allowedIPs: ["10.2.1.0/24", "10.4.0.1/32"],
                endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
                persistentKeepalive: 25,
            },
        },
        `${KEY} 192.0.2.1:51820 keepalive=25 10.2.1.0/24,10.4.0.1/32`,
    ],
    [
        "an IPv6 endpoint",
        { spec: { publicKey: KEY, allowedIPs: ["fd00::/64"], endpoint: { dnsOrIP: { ip: "2001:db8::1" }, port: 1 } } },
        `${KEY} [2001:db8::1]:1 fd00::/64`,
    ],
    [
        "a DNS endpoint",
        {
            spec: {
                publicKey: KEY,
                allowedIPs: ["10.2.1.0/24"],
                endpoint: { dnsOrIP: { dns: "gw.example.com" }, port: 65535 },
            },
        },
        `${KEY} gw.example.com:65535 10.2.1.0/24`,
    ],
    [
        "no endpoint",
        { spec: { publicKey: KEY, allowedIPs: ["10.2.1.0/24"], persistentKeepalive: 25 } },
        `${KEY} no-endpoint keepalive=25 10.2.1.0/24`,
    ],
    [
        "an observed endpoint",
        {
            spec: {
                publicKey: KEY,
                allowedIPs: ["10.2.1.0/24"],
                endpoint: { dnsOrIP: { ip: "198.51.100.7" }, port: 40123 },
            },
            configured: "192.0.2.1:51820",
        },
        `${KEY} 198.51.100.7:40123 configured=192.0.2.1:51820 10.2.1.0/24`,
    ],
    [
        "an observed endpoint where there was none",
        {
            spec: {
                publicKey: KEY,
                allowedIPs: ["10.2.1.0/24"],
                endpoint: { dnsOrIP: { ip: "198.51.100.7" }, port: 40123 },
                persistentKeepalive: 25,
            },
            configured: "none",
        },
        `${KEY} 198.51.100.7:40123 keepalive=25 configured=none 10.2.1.0/24`,
    ],
];

const alive = ({ spec, configured }: Peer, more: object = {}): KubePeer => {
    return {
        metadata: {
            name: "p",
            uid: "u",
            labels: { a: "b" },
            annotations: {
                "kilo-clustermesh.io/owner": "o",
                ...adoptionOf(configured === undefined ? { spec } : { spec, configured }),
            },
        },
        spec: { ...spec, ...more },
    };
};

describe.each(planned)("a peer with %s", (_, peer, line) => {
    test("is one line, and comes back exactly", () => {
        expect(encodePeer(peer)).toBe(line);
        expect(decodePeer(line)).toStrictEqual(peer);
    });

    test("is the same line when it lives", () => {
        expect(lineOf(alive(peer))).toBe(line);
    });
});

describe("a live peer that has what we would never write", () => {
    const [, base] = planned[0]!;
    const line = (more: object, annotations?: object) => {
        const peer = alive(base, more);
        return lineOf({
            ...peer,
            metadata: { ...peer.metadata, annotations: { ...peer.metadata?.annotations, ...annotations } as never },
        });
    };
    const lines = new Set(planned.map(([, , text]) => text));

    test.each<[string, object, string]>([
        ["a preshared key", { presharedKey: "hunter2" }, `unexpected=presharedKey ${encodePeer(base)}`],
        ["an unknown field", { "mtu\n!": 1 }, `unexpected=mtu?? ${encodePeer(base)}`],
        ["both", { presharedKey: "hunter2", mtu: 1 }, `unexpected=mtu,presharedKey ${encodePeer(base)}`],
    ])("%s is named and never shown", (_, more, expected) => {
        expect(line(more)).toBe(expected);
        expect(line(more)).not.toContain("hunter2");
    });

    test.each<[string, object, string]>([
        ["a key that is none", { publicKey: "x" }, "publicKey"],
        ["no key", { publicKey: undefined }, "publicKey"],
        ["unmasked networks", { allowedIPs: ["10.2.1.1/24"] }, "allowedIPs"],
        ["unreadable networks", { allowedIPs: ["junk"] }, "allowedIPs"],
        ["one unreadable network among good ones", { allowedIPs: ["10.2.1.0/24", "junk"] }, "allowedIPs"],
        ["networks of the wrong type", { allowedIPs: [7] }, "allowedIPs"],
        ["no networks", { allowedIPs: [] }, "allowedIPs"],
        ["networks that are no list", { allowedIPs: "10.2.1.0/24" }, "allowedIPs"],
        ["an unreadable endpoint", { endpoint: { dnsOrIP: { ip: "x y" }, port: 1 } }, "endpoint"],
        ["an endpoint without port", { endpoint: { dnsOrIP: { ip: "192.0.2.1" } } }, "endpoint"],
        ["port 0", { endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 0 } }, "endpoint"],
        [
            "an endpoint with address and name",
            { endpoint: { dnsOrIP: { ip: "192.0.2.1", dns: "gw.example" }, port: 1 } },
            "endpoint",
        ],
        ["an address as name", { endpoint: { dnsOrIP: { dns: "192.0.2.1" }, port: 1 } }, "endpoint"],
        ["a name as address", { endpoint: { dnsOrIP: { ip: "gw.example" }, port: 1 } }, "endpoint"],
        ["a name in capitals", { endpoint: { dnsOrIP: { dns: "GW.example" }, port: 1 } }, "endpoint"],
        ["an address that is not canonical", { endpoint: { dnsOrIP: { ip: "2001:DB8::1" }, port: 1 } }, "endpoint"],
        ["an endpoint of nothing", { endpoint: {} }, "endpoint"],
        ["an endpoint of the wrong type", { endpoint: "192.0.2.1:1" }, "endpoint"],
        ["a keepalive in nanoseconds", { persistentKeepalive: 25_000_000_000 }, "persistentKeepalive"],
        ["a negative keepalive", { persistentKeepalive: -1 }, "persistentKeepalive"],
        ["a broken keepalive", { persistentKeepalive: 2.5 }, "persistentKeepalive"],
        ["a keepalive of the wrong type", { persistentKeepalive: "25" }, "persistentKeepalive"],
    ])("%s is told by a digest", (_, more, field) => {
        expect(line(more)).toMatch(new RegExp(`^unexpected=${field} [0-9a-f]{16}$`));
        expect(lines).not.toContain(line(more));
    });

    test("a field with a long name is cut", () => {
        expect(line({ ["x".repeat(50)]: 1 })).toBe(`unexpected=${"x".repeat(40)} ${encodePeer(base)}`);
    });

    test("the longest keepalive is one", () => {
        expect(line({ persistentKeepalive: 65535 })).toContain(" keepalive=65535 ");
    });

    test("and changes, changes its digest", () => {
        expect(line({ allowedIPs: ["junk"] })).not.toBe(line({ allowedIPs: ["trash"] }));
        expect(line({ allowedIPs: ["junk"] })).toBe(line({ allowedIPs: ["junk"] }));
        const odd = { allowedIPs: ["junk"] };
        expect(line({ ...odd, persistentKeepalive: 1 })).not.toBe(line({ ...odd, persistentKeepalive: 2 }));
        expect(line({ endpoint: { dnsOrIP: { ip: "x" } } })).not.toBe(line({ endpoint: { dnsOrIP: { ip: "y" } } }));
    });

    test.each<[string, object]>([
        ["one annotation without the other", { [DISCOVERED]: "192.0.2.1:51820" }],
        ["the other without the one", { [CONFIGURED]: "none" }],
        ["a record that is not its endpoint", { [DISCOVERED]: "192.0.2.9:51820", [CONFIGURED]: "none" }],
        ["a record of something unreadable", { [DISCOVERED]: "192.0.2.1:51820", [CONFIGURED]: "junk" }],
        ["a record of the wrong type", { [DISCOVERED]: "192.0.2.1:51820", [CONFIGURED]: 7 }],
    ])("%s is seen", (_, annotations) => {
        expect(line({}, annotations)).toBe(`unexpected=annotations ${encodePeer(base)}`);
    });

    test("fields that are empty, as an API server may return them, are nothing", () => {
        expect(line({ presharedKey: "" })).toBe(encodePeer(base));
        expect(line({ presharedKey: null, endpoint: { dnsOrIP: { ip: "192.0.2.1", dns: "" }, port: 51820 } })).toBe(
            encodePeer(base),
        );
        expect(line({ persistentKeepalive: 0 })).toBe(
            encodePeer({ spec: { ...base.spec, persistentKeepalive: undefined as never } }),
        );
        expect(line({ endpoint: null })).toBe(`${KEY} no-endpoint keepalive=25 10.2.1.0/24,10.4.0.1/32`);
        expect(line({ endpoint: { dnsOrIP: { ip: "", dns: "gw.example" }, port: 1 } })).toBe(
            `${KEY} gw.example:1 keepalive=25 10.2.1.0/24,10.4.0.1/32`,
        );
    });

    test("objects of any shape that have a name have a line", () => {
        for (const odd of [{}, { spec: null }, { spec: 7 }, { spec: { allowedIPs: {}, publicKey: [] } }]) {
            expect(lineOf({ metadata: { name: "p" }, ...odd })).toMatch(
                /^unexpected=allowedIPs,publicKey [0-9a-f]{16}$/,
            );
        }
    });
});

test("a line that was never written is read as far as it goes", () => {
    expect(decodePeer("")).toStrictEqual({ spec: { publicKey: "", allowedIPs: [] } });
    expect(decodePeer("unexpected=endpoint 0123456789abcdef")).toStrictEqual({
        spec: { publicKey: "unexpected=endpoint", allowedIPs: [] },
    });
    expect(decodePeer(`unexpected=presharedKey ${planned[0]![2]}`).spec.allowedIPs).toEqual([
        "10.2.1.0/24",
        "10.4.0.1/32",
    ]);
    expect(decodePeer("k e keepalive=x 10.0.0.0/8").spec).toStrictEqual({ publicKey: "k", allowedIPs: ["10.0.0.0/8"] });
    expect(decodePeer("k e keepalive=-5 keepalive 10.0.0.0/8").spec).not.toHaveProperty("persistentKeepalive");
});
