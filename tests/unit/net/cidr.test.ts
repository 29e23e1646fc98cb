import { addressOf, addressText, parseAddress } from "../../../provider/net/address";
import {
    contains,
    hostOf,
    hostRoute,
    intersection,
    networkOf,
    outermost,
    overlaps,
    parseCidr,
    supernet,
} from "../../../provider/net/cidr";
import { eachOverlap, overlapFinder } from "../../../provider/net/overlaps";
import messages from "./golden/cidr-messages.json";

const net = (text: string) => networkOf(text)!;
const texts = (networks: readonly { readonly text: string }[]) => networks.map(({ text }) => text);

describe("a declared network is read strictly", () => {
    test.each([
        ["10.0.0.0/8", "10.0.0.0/8"],
        ["255.255.255.255/32", "255.255.255.255/32"],
        ["0.0.0.0/1", "0.0.0.0/1"],
        ["128.0.0.0/1", "128.0.0.0/1"],
        ["10.0.0.0/32", "10.0.0.0/32"],
        ["FD00:0:0:0::/64", "fd00::/64"],
        ["fd00:0010::/32", "fd00:10::/32"],
        ["2001:db8:0:1:0:0:0:0/64", "2001:db8:0:1::/64"],
        ["2001:db8:0:1:1:1:1:1/128", "2001:db8:0:1:1:1:1:1/128"],
        ["::1/128", "::1/128"],
        ["8000::/1", "8000::/1"],
    ])("%s is %s", (text, canonical) => {
        expect(parseCidr(text)).toMatchObject({ text: canonical });
    });

    test.each([
        ["", "CidrInvalid"],
        ["10.0.0.0", "CidrInvalid"],
        ["10.0.0.0/", "CidrInvalid"],
        ["10.0.0.0/33", "CidrInvalid"],
        ["10.0.0.0/08", "CidrInvalid"],
        ["10.0.0.0/+8", "CidrInvalid"],
        ["10.0.0.0/-1", "CidrInvalid"],
        ["10.0.0.0/8/8", "CidrInvalid"],
        ["10.0.0.0/8 ", "CidrInvalid"],
        [" 10.0.0.0/8", "CidrInvalid"],
        ["10.0.0.0/1000", "CidrInvalid"],
        ["010.0.0.0/8", "CidrInvalid"],
        ["10.0.0/8", "CidrInvalid"],
        ["10.0.0.0.0/8", "CidrInvalid"],
        ["10..0.0/8", "CidrInvalid"],
        [".10.0.0/8", "CidrInvalid"],
        ["10.0.0./8", "CidrInvalid"],
        ["10.0.0.256/32", "CidrInvalid"],
        ["10.0.0.1a/32", "CidrInvalid"],
        ["10.0.0.:/32", "CidrInvalid"],
        ["1０.0.0.0/8", "CidrInvalid"],
        ["fd00::/129", "CidrInvalid"],
        ["fd00::1::/64", "CidrInvalid"],
        ["fd00:::/64", "CidrInvalid"],
        ["g::/64", "CidrInvalid"],
        ["1:2:3:4:5:6:7:8:9/128", "CidrInvalid"],
        [`${"0".repeat(60)}::/64`, "CidrInvalid"],
        ["::ffff:10.0.0.0/104", "CidrMapped"],
        ["::ffff:a00:0/104", "CidrMapped"],
        ["::10.0.0.0/104", "CidrMapped"],
        ["fe80::%eth0/64", "CidrZone"],
        ["10.0.0.1/8", "CidrHostBits"],
        ["10.0.0.128/24", "CidrHostBits"],
        ["fd00::1/64", "CidrHostBits"],
        ["0.0.0.0/0", "CidrDefaultRoute"],
        ["10.0.0.0/0", "CidrDefaultRoute"],
        ["::/0", "CidrDefaultRoute"],
    ])("%j is refused: %s", (text, code) => {
        expect(parseCidr(text)).toMatchObject({ code });
    });

    test("the message for host bits gives the masked form", () => {
        expect(parseCidr("10.1.2.3/16")).toMatchObject({ fix: "Write 10.1.0.0/16" });
        expect(parseCidr("fd00::1/64")).toMatchObject({ fix: "Write fd00::/64" });
    });

    test("each problem is told in words of its own", () => {
        const said = [
            "1.2.3.4",
            "1.2.3.4/33",
            "x/8",
            "fd00::/200",
            "::1.2.3.4/128",
            "fe80::%1/64",
            "1.2.3.4/8",
            "::/0",
        ].map((text) => parseCidr(text));
        expect(said).toEqual(messages);
    });
});

test("what a node reports is masked, not refused", () => {
    expect(net("10.1.2.3/16").text).toBe("10.1.0.0/16");
    expect(net("fd00::1/64").text).toBe("fd00::/64");
    expect(net("0.0.0.0/0").text).toBe("0.0.0.0/0");
    expect(networkOf("::ffff:10.0.0.0/104")).toBeUndefined();
    expect(networkOf("10.0.0.0")).toBeUndefined();
});

test("the host in front of any prefix length is the address", () => {
    expect(hostOf("10.4.0.1/16")).toBe("10.4.0.1");
    expect(hostOf("fd00::00A1/64")).toBe("fd00::a1");
    expect(hostOf("10.4.0.1")).toBeUndefined();
});

test("families share one line and never meet", () => {
    const last4 = net("255.255.255.255/32");
    const first6 = net("::/128");
    expect(last4.last).toBeLessThan(first6.first);
    expect(overlaps(net("0.0.0.0/0"), net("::/0"))).toBe(false);
    expect(net("0.0.0.0/0")).toMatchObject({ family: 4, first: 0, last: 2 ** 32 - 1, prefix: 0 });
    expect(net("::/0")).toMatchObject({ family: 6, first: 2n ** 32n, last: 2n ** 32n + 2n ** 128n - 1n });
});

test("addresses are told apart from what only looks like one", () => {
    expect(parseAddress("1.2.3.4")).toMatchObject({
        family: 4,
        first: 0x01020304,
        last: 0x01020304,
        text: "1.2.3.4",
    });
    expect(parseAddress("::A")).toMatchObject({
        family: 6,
        first: 2n ** 32n + 10n,
        last: 2n ** 32n + 10n,
        text: "::a",
    });
    expect(parseAddress("1.2.3")).toBe("malformed");
    expect(parseAddress("fe80::1%eth0")).toBe("zone");
    expect(parseAddress("::ffff:1.2.3.4")).toBe("mapped");
    expect(parseAddress("::ffff:0:0")).toBe("mapped");
    expect(parseAddress("::ffff:ffff:ffff")).toBe("mapped");
    expect(parseAddress("::1:0:0:0")).toMatchObject({ text: "::1:0:0:0" });
    expect(parseAddress("::fffe:ffff:ffff")).toMatchObject({ family: 6 });
    expect(parseAddress("fd00::/64")).toBe("malformed");
    expect(addressOf("nonsense")).toBeUndefined();
    expect(["1.2.3.4", "FD00::1", "x", "1.2.3"].map((text) => addressOf(text)?.text)).toEqual([
        "1.2.3.4",
        "fd00::1",
        undefined,
        undefined,
    ]);
});

test("a point on the line has its text back", () => {
    for (const text of [
        "0.0.0.0",
        "1.2.3.4",
        "255.254.253.252",
        "::",
        "fd00::1",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ]) {
        const address = addressOf(text)!;
        expect(addressText(address.first)).toBe(text);
    }
});

test("host routes are as long as the family", () => {
    expect(hostRoute(addressOf("10.0.0.1")!)).toMatchObject({ prefix: 32, text: "10.0.0.1/32" });
    expect(hostRoute(addressOf("fd00::1")!)).toMatchObject({ prefix: 128, text: "fd00::1/128" });
});

test.each([
    ["10.0.0.0/8", "10.1.0.0/16", true, true],
    ["10.1.0.0/16", "10.0.0.0/8", false, true],
    ["10.0.0.0/8", "10.0.0.0/8", true, true],
    ["10.0.0.0/9", "10.128.0.0/9", false, false],
    ["10.0.0.0/8", "10.255.255.255/32", true, true],
    ["10.0.0.0/8", "11.0.0.0/32", false, false],
    ["fd00::/16", "fd00:ffff::/32", true, true],
])("%s contains %s: %p, overlaps it: %p", (a, b, isInside, meets) => {
    expect(contains(net(a), net(b))).toBe(isInside);
    expect(overlaps(net(a), net(b))).toBe(meets);
    expect(overlaps(net(b), net(a))).toBe(meets);
});

test("the block around a network", () => {
    expect(supernet(net("10.1.2.0/24"), 16).text).toBe("10.1.0.0/16");
    expect(supernet(net("10.1.0.0/24"), 16).text).toBe("10.1.0.0/16");
    expect(supernet(net("10.1.2.0/24"), 24).text).toBe("10.1.2.0/24");
    expect(supernet(net("10.1.2.0/24"), 32).text).toBe("10.1.2.0/24");
    expect(supernet(net("fd00:1:2::/48"), 32).text).toBe("fd00:1::/32");
});

test("of nested networks the outermost stay, in order", () => {
    const list = ["10.1.0.0/16", "10.0.0.0/8", "10.0.0.0/8", "9.0.0.0/8", "fd00::/16", "10.255.0.0/16"].map(net);
    expect(texts(outermost(list))).toEqual(["9.0.0.0/8", "10.0.0.0/8", "fd00::/16"]);
    expect(texts(outermost([net("10.1.0.0/16")]))).toEqual(["10.1.0.0/16"]);
});

test("the intersection cuts in both directions", () => {
    const a = ["10.0.0.0/8", "192.168.1.0/24"].map(net);
    const b = ["10.1.0.0/16", "10.3.0.0/16", "192.168.0.0/16", "fd00::/16"].map(net);
    expect(texts(intersection(a, b))).toEqual(["10.1.0.0/16", "10.3.0.0/16", "192.168.1.0/24"]);
    expect(texts(intersection(b, a))).toEqual(["10.1.0.0/16", "10.3.0.0/16", "192.168.1.0/24"]);
    expect(intersection(a, [])).toEqual([]);
});

describe("finding who holds a network", () => {
    const owned = (...list: readonly string[]) => list.map((text) => ({ network: net(text), owner: text }));

    test("one that overlaps is found, whichever of the two is larger", () => {
        const find = overlapFinder(owned("10.1.0.0/16", "10.3.0.0/16", "fd00::/16"));
        expect(find(net("10.1.2.0/24"))).toBe("10.1.0.0/16");
        expect(find(net("10.0.0.0/8"))).toBe("10.3.0.0/16");
        expect(find(net("10.2.0.0/16"))).toBeUndefined();
        expect(find(net("10.4.0.0/16"))).toBeUndefined();
        expect(find(net("9.0.0.0/8"))).toBeUndefined();
        expect(find(net("fd00:1::/32"))).toBe("fd00::/16");
        expect(find(net("10.3.255.255/32"))).toBe("10.3.0.0/16");
        expect(find(net("10.1.0.0/32"))).toBe("10.1.0.0/16");
    });

    test("a large one is not hidden by small ones that start after it", () => {
        const find = overlapFinder(owned("10.0.0.0/8", "10.1.0.0/16", "10.2.0.0/16"));
        expect(find(net("10.200.0.0/16"))).toBe("10.0.0.0/8");
        expect(overlapFinder([])(net("10.0.0.0/8"))).toBeUndefined();
    });

    test("every pair that shares an address is visited once", () => {
        const pairs: string[] = [];
        eachOverlap(
            owned("10.1.1.0/24", "10.0.0.0/8", "11.0.0.0/8", "10.1.0.0/16", "10.2.0.0/16", "11.0.0.0/8"),
            (pair) => pairs.push(`${pair.outer.owner} ${pair.inner.owner}`),
        );
        expect(pairs.sort()).toEqual([
            "10.0.0.0/8 10.1.0.0/16",
            "10.0.0.0/8 10.1.1.0/24",
            "10.0.0.0/8 10.2.0.0/16",
            "10.1.0.0/16 10.1.1.0/24",
            "11.0.0.0/8 11.0.0.0/8",
        ]);
    });
});

test("zero is an address like any other", () => {
    expect(addressOf("0.0.0.0")?.text).toBe("0.0.0.0");
    expect(networkOf("0.0.0.0/8")?.text).toBe("0.0.0.0/8");
    expect(parseAddress("::ffff:0.0.0.0")).toBe("mapped");
    expect(addressOf("x:y")).toBeUndefined();
});

test.each([
    "10.0.0.0/33",
    "10.0.0.0/99",
    "10.0.0.0/1000",
    "10.0.0.0/1:",
    "10.0.0.0/",
    "10.0.0.0/00",
    "/24",
    "fd00::/1:",
])("%s is no network, of a node or declared", (text) => {
    expect(networkOf(text)).toBeUndefined();
    expect(parseCidr(text)).toHaveProperty("problem");
});

test("the host of a prefix that is too long is none", () => {
    expect(hostOf("10.4.0.1/33")).toBeUndefined();
    expect(hostOf("10.4.0.1/32")).toBe("10.4.0.1");
});

test("a prefix without an address is no network, rather than one without prefix", () => {
    expect(parseCidr("/24")).toMatchObject({ problem: "is not a network" });
    expect(parseCidr("10.0.0.0")).toMatchObject({ problem: "has no prefix length" });
});
