import { adoptionOf, endpointText, type LivePeer, readPeer } from "../../../provider/kilo/peer";
import fc from "../../support/chance";
import { key } from "../mesh/fixtures";

const DISCOVERED = "kilo-clustermesh.io/discovered-endpoint";
const CONFIGURED = "kilo-clustermesh.io/configured-endpoint";
const spec = {
    allowedIPs: ["10.0.0.0/24", "10.4.0.1/32"],
    publicKey: key(1),
    endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
    persistentKeepalive: 25,
};
const read = (more: object = {}, metadata: object = {}): LivePeer =>
    readPeer({ metadata: { name: "p", uid: "u", ...metadata }, spec: { ...spec, ...more } })!;

describe("of a live peer, what planning and ownership read is kept", () => {
    test("our labels and annotations, and the spec", () => {
        const labels = { "kilo-clustermesh.io/mesh": "m", "app.kubernetes.io/managed-by": "pulumi" };
        const annotations = { "kilo-clustermesh.io/owner": "o" };
        const object = {
            apiVersion: "v",
            metadata: {
                name: "p",
                uid: "u",
                resourceVersion: "1",
                labels: { ...labels, team: "x", "kilo-clustermesh.io/claim": 7 },
                annotations: { ...annotations, "kubectl.kubernetes.io/last-applied-configuration": "{}" },
            },
            spec,
        };
        expect(readPeer(object)).toStrictEqual({ name: "p", uid: "u", labels, annotations, spec, unexpected: [] });
    });

    test("every network, however many: one that was left out could be given away twice", () => {
        const allowedIPs = Array.from({ length: 10_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/32`);
        expect(read({ allowedIPs }).spec.allowedIPs).toEqual(allowedIPs);
    });

    test("an adopted endpoint, with what it replaced", () => {
        const annotations = { [DISCOVERED]: "192.0.2.1:51820", [CONFIGURED]: "198.51.100.1:1" };
        const peer = read({}, { annotations });
        expect(peer.configured).toBe("198.51.100.1:1");
        expect(peer.unexpected).toEqual([]);
        expect(adoptionOf(peer)).toEqual(annotations);
    });

    test("at most 64 labels of ours: no object that we wrote has more", () => {
        const labels = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`kilo-clustermesh.io/${at}`, "x"]));
        expect(Object.keys(read({}, { labels }).labels)).toEqual(Object.keys(labels).slice(0, 64));
    });

    test("long values are cut, and stay wrong", () => {
        const peer = read({ publicKey: "k".repeat(65_536), allowedIPs: ["1".repeat(65_536)] });
        expect(peer.spec.publicKey).toHaveLength(1024);
        expect(peer.spec.allowedIPs[0]).toHaveLength(1024);
        expect(peer.unexpected).toEqual(["allowedIPs", "publicKey"]);
    });
});

describe("a peer that is being deleted", () => {
    const deletionTimestamp = "2026-01-02T03:04:05Z";

    test("is known with who holds it", () => {
        expect(read({}, { deletionTimestamp, finalizers: ["example.com/a", "example.com/b"] }).finalizers).toEqual([
            "example.com/a",
            "example.com/b",
        ]);
        expect(read({}, { deletionTimestamp }).finalizers).toEqual([]);
    });

    test("is one with a time of deletion: finalizers alone delete nothing", () => {
        expect(read({}, { finalizers: ["example.com/a"] })).not.toHaveProperty("finalizers");
        expect(read({}, { deletionTimestamp: "", finalizers: ["example.com/a"] })).not.toHaveProperty("finalizers");
    });
});

describe("what we would never write is data", () => {
    test("a preshared key is named and its value goes no further", () => {
        const peer = read({ presharedKey: "very-secret" });
        expect(peer.unexpected).toEqual(["presharedKey"]);
        expect(JSON.stringify(peer)).not.toContain("very-secret");
        expect(peer.spec).toEqual(spec);
    });

    test.each<[string, object]>([
        ["an empty preshared key", { presharedKey: "" }],
        ["one that is null", { presharedKey: null }],
        ["an endpoint with an empty name", { endpoint: { dnsOrIP: { ip: "192.0.2.1", dns: "" }, port: 51820 } }],
    ])("but not %s, as an API server may return it", (_, more) => {
        expect(read(more)).toStrictEqual(read());
    });

    test.each<[string, object, readonly string[]]>([
        [
            "an endpoint with a name and an address",
            { endpoint: { dnsOrIP: { ip: "192.0.2.1", dns: "gw.example" }, port: 1 } },
            ["endpoint"],
        ],
        ["an endpoint without a port", { endpoint: { dnsOrIP: { ip: "192.0.2.1" } } }, ["endpoint"]],
        ["an endpoint of a wrong type", { endpoint: "192.0.2.1:1" }, ["endpoint"]],
        ["an address that is not canonical", { endpoint: { dnsOrIP: { ip: "2001:DB8::1" }, port: 1 } }, ["endpoint"]],
        ["a network with host bits", { allowedIPs: ["10.0.0.1/24"] }, ["allowedIPs"]],
        ["a network of a wrong type", { allowedIPs: ["10.0.0.0/24", 7] }, ["allowedIPs"]],
        ["no network", { allowedIPs: [] }, ["allowedIPs"]],
        ["the zero key", { publicKey: `${"A".repeat(43)}=` }, ["publicKey"]],
        ["a keepalive in nanoseconds", { persistentKeepalive: 25_000_000_000 }, ["persistentKeepalive"]],
        ["fields of a later Kilo", { mtu: 1, "a b": 2 }, ["a?b", "mtu"]],
    ])("%s", (_, more, unexpected) => {
        expect(read(more).unexpected).toEqual(unexpected);
    });

    test("an odd endpoint is kept as it was found, so that it can be compared and told", () => {
        const endpoint = { dnsOrIP: { ip: "192.0.2.1", dns: "gw.example" }, port: 1 };
        expect(read({ endpoint }).spec.endpoint).toEqual(endpoint);
        expect(endpointText(read({ endpoint: {} }).spec.endpoint!)).toBe(":0");
    });

    test("a keepalive that is no number is no part of the spec", () => {
        expect(read({ persistentKeepalive: "25" }).spec).not.toHaveProperty("persistentKeepalive");
    });

    test("an endpoint that we would not write was not adopted", () => {
        const endpoint = { dnsOrIP: { ip: "192.0.2.1", dns: "gw.example" }, port: 1 };
        const annotations = { [DISCOVERED]: "192.0.2.1:1", [CONFIGURED]: "none" };
        expect(read({ endpoint }, { annotations }).unexpected).toEqual(["annotations", "endpoint"]);
    });

    test("without an endpoint none was adopted, and none is recorded", () => {
        expect(adoptionOf({ spec: { publicKey: key(1), allowedIPs: [] }, configured: "none" })).toEqual({});
    });

    test.each<[string, object]>([
        ["one annotation without the other", { [DISCOVERED]: "192.0.2.1:51820" }],
        ["the other without the one", { [CONFIGURED]: "none" }],
        ["a record that is not its endpoint", { [DISCOVERED]: "192.0.2.9:1", [CONFIGURED]: "none" }],
        ["a record of something unreadable", { [DISCOVERED]: "192.0.2.1:51820", [CONFIGURED]: "junk" }],
    ])("%s is no adoption", (_, annotations) => {
        const peer = read({}, { annotations });
        expect(peer.unexpected).toEqual(["annotations"]);
        expect(peer).not.toHaveProperty("configured");
        expect(peer.annotations).toEqual(annotations);
    });
});

test("an object without a name is no peer at all", () => {
    for (const odd of [null, 7, {}, { metadata: null }, { metadata: { name: "" } }, { metadata: { name: 7 } }]) {
        expect(readPeer(odd)).toBeUndefined();
    }
});

test("whatever a server sends is read without failing, to the promised types", () => {
    fc.assert(
        fc.property(fc.anything(), fc.anything(), (metadata, anything) => {
            const named = { ...(typeof metadata === "object" ? metadata : {}), name: "p" };
            const peer = readPeer({ metadata: named, spec: anything })!;
            expect(peer.name).toBe("p");
            expect(typeof peer.uid).toBe("string");
            expect(typeof peer.spec.publicKey).toBe("string");
            for (const cidr of peer.spec.allowedIPs) expect(typeof cidr).toBe("string");
            expect(peer.unexpected).toEqual([...peer.unexpected].sort());
            readPeer(anything);
        }),
    );
});
