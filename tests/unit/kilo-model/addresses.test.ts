import { Address4, Address6 } from "ip-address";
import fc from "../../support/chance";
import { contains, formatAddress, parseAddress, parseCidr } from "../../support/kilo-model/addresses";
import { parseEndpoint } from "../../support/kilo-model/endpoint";
import { PrefixTable } from "../../support/kilo-model/prefix-table";

test("addresses are read as the library reads them, and written so that they are read the same", () => {
    fc.assert(
        fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
            const parsed = parseAddress(text)!;
            const known = text.includes(":") ? new Address6(text).bigInt() : Number(new Address4(text).bigInt());
            expect(parsed).toBe(known);
            expect(parseAddress(formatAddress(parsed))).toBe(parsed);
        }),
    );
});

test.each(["10.1.0.0", "10.1.0.0/33", "fd00::/129", "10.1.0/24", "x/8", "fe80::1%eth0/64", ""])(
    "%j is no network",
    (text) => {
        expect(parseCidr(text)).toBeUndefined();
    },
);

test("a network keeps its host bits and says so", () => {
    expect(parseCidr("10.1.2.3/16")).toMatchObject({ masked: false, network: parseAddress("10.1.0.0") });
    expect(parseCidr("fd00:0::/64")?.id).toBe(parseCidr("fd00::/64")?.id);
});

test("the longest prefix wins, as a scan over all of them says", () => {
    const prefix = fc.tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 32 }));
    fc.assert(
        fc.property(
            fc.array(prefix, { maxLength: 20 }),
            fc.integer({ min: 0, max: 2 ** 32 - 1 }),
            (prefixes, address) => {
                const cidrs = prefixes.map(([at, length]) => parseCidr(`${formatAddress(at)}/${length}`)!);
                const table = new PrefixTable<number>();
                for (const cidr of cidrs) table.set(cidr, cidr.length);
                const holding = cidrs.filter((cidr) => contains(cidr, address)).map(({ length }) => length);
                expect(table.lookup(address)).toBe(holding.length === 0 ? undefined : Math.max(...holding));
            },
        ),
    );
});

test.each([
    ["198.51.100.11:51820", true],
    ["[2001:db8::1]:51820", true],
    ["name.example:51820", true],
    ["2001:db8::1:51820", false],
    ["[198.51.100.11]:51820", false],
    ["198.51.100.11", false],
    ["198.51.100.11:0", false],
    ["Not_A_Name:1", false],
])("%s is an endpoint: %s", (text, valid) => expect(parseEndpoint(text) !== undefined).toBe(valid));
