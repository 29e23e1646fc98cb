import { readHandshakes, readObservations } from "../../../provider/kilo/observations";
import { key } from "../mesh/fixtures";

describe("observations", () => {
    const observe = (...found: readonly unknown[]) =>
        readObservations(
            found.map((value, i) => ({
                metadata: {
                    name: `n${i}`,
                    annotations: {
                        "kilo.squat.ai/discovered-endpoints": typeof value === "string" ? value : JSON.stringify(value),
                    },
                },
            })),
        );
    const at = (IP: unknown, Port: unknown = 51820, Zone: unknown = "") => ({ [key(1)]: { IP, Port, Zone } });

    test("are read by key, sorted", () => {
        const found = observe({
            [key(2)]: { IP: "2001:DB8::2", Port: 2 },
            [key(1)]: { IP: "203.0.113.1", Port: 1, Zone: "" },
        });
        expect(Object.entries(found)).toEqual([
            [key(1), ["203.0.113.1:1"]],
            [key(2), ["[2001:db8::2]:2"]],
        ]);
    });

    test("of several nodes are all there, by their names and once, if they can be used", () => {
        expect(observe(at("203.0.113.2"), at("203.0.113.1"), at("203.0.113.2"))).toEqual({
            [key(1)]: ["203.0.113.2:51820", "203.0.113.1:51820"],
        });
        expect(observe(at("127.0.0.1"), at("203.0.113.2"))).toEqual({ [key(1)]: ["203.0.113.2:51820"] });
    });

    test.each([["10.0.0.1"], ["100.64.0.1"], ["fd00::1"]])("private address %s is as good as any", (ip) => {
        expect(Object.keys(observe(at(ip)))).toHaveLength(1);
    });

    test.each([
        ["loopback", at("127.0.0.1")],
        ["IPv6 loopback", at("::1")],
        ["link-local", at("169.254.7.7")],
        ["IPv6 link-local", at("fe80::7")],
        ["unspecified", at("0.0.0.0")],
        ["IPv6 unspecified", at("::")],
        ["multicast", at("224.0.0.1")],
        ["IPv6 multicast", at("ff02::1")],
        ["broadcast", at("255.255.255.255")],
        ["a name", at("gw.example")],
        ["no address", at("")],
        ["an address of the wrong type", at(7)],
        ["mapped", at("::ffff:203.0.113.1")],
        ["port 0", at("203.0.113.1", 0)],
        ["port 65536", at("203.0.113.1", 65536)],
        ["a broken port", at("203.0.113.1", 1.5)],
        ["a port that is a text", at("203.0.113.1", "51820")],
        ["a zone", at("203.0.113.1", 1, "eth0")],
        ["no object", { [key(1)]: 7 }],
        ["null", { [key(1)]: null }],
        ["no key", { short: { IP: "203.0.113.1", Port: 1 } }],
        ["the zero key", { [`${"A".repeat(43)}=`]: { IP: "203.0.113.1", Port: 1 } }],
        ["a list", [at("203.0.113.1")]],
        ["no JSON", "{"],
        ["nothing", ""],
        ["null in JSON", "null"],
        ["a prototype", '{"__proto__":{"IP":"203.0.113.1","Port":1}}'],
        ["deep nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
        ["a text longer than Kubernetes allows", JSON.stringify({ ...at("203.0.113.1"), pad: "x".repeat(256 * 1024) })],
    ])("of %s are passed over", (_, value) => {
        expect(observe(value)).toEqual({});
    });

    test("ports at the ends of the range are fine", () => {
        expect(observe(at("203.0.113.1", 1))).toEqual({ [key(1)]: ["203.0.113.1:1"] });
        expect(observe(at("203.0.113.1", 65535))).toEqual({ [key(1)]: ["203.0.113.1:65535"] });
        expect(observe({ [key(1)]: { IP: "203.0.113.1", Port: 9 } })).toEqual({ [key(1)]: ["203.0.113.1:9"] });
    });

    test("nodes of any shape are passed over", () => {
        const annotations = { "kilo.squat.ai/discovered-endpoints": JSON.stringify(at("203.0.113.1")) };
        expect(
            readObservations([
                null,
                7,
                {},
                { metadata: {} },
                { metadata: { annotations } },
                { metadata: { name: 7, annotations } },
                {
                    metadata: {
                        name: "list",
                        annotations: { "kilo.squat.ai/discovered-endpoints": Object.values(annotations) },
                    },
                },
            ]),
        ).toEqual({});
        expect(readObservations(null as never)).toEqual({});
    });

    test("a text as long as Kubernetes allows is read", () => {
        const json = JSON.stringify(at("203.0.113.1"));
        expect(observe(json.padEnd(256 * 1024))).toEqual({ [key(1)]: ["203.0.113.1:51820"] });
        expect(observe(json.padEnd(256 * 1024 + 1))).toEqual({});
    });

    test("two nodes of one name are read in the same order whatever theirs was", () => {
        const nodes = ["203.0.113.1", "203.0.113.2"].map((ip) => ({
            metadata: { name: "n", annotations: { "kilo.squat.ai/discovered-endpoints": JSON.stringify(at(ip)) } },
        }));
        expect(readObservations([...nodes].reverse())).toEqual(readObservations(nodes));
    });
});

test("the handshakes of each node are a list of their own: one that works hides none that does not", () => {
    const node = (name: string, text?: string) => ({
        metadata: { name, annotations: text === undefined ? {} : { "kilo.squat.ai/discovered-endpoints": text } },
    });
    const seen = JSON.stringify({ [key(1)]: {}, junk: {} });
    expect(readHandshakes([node("a", seen), node("b", "{}"), node("c", "no JSON"), node("d"), null])).toEqual(
        new Map([
            ["a", new Set([key(1)])],
            ["b", new Set()],
            ["c", new Set()],
        ]),
    );
});
