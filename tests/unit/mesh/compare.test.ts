import { type LivePeer, type Peer, readPeer } from "../../../provider/kilo/peer";
import { difference } from "../../../provider/mesh/compare";
import { CLAIM, key, live, MESH, SOURCE } from "./fixtures";

const MESH_ID = "kilo-clustermesh.io/mesh-id";
const DISCOVERED = "kilo-clustermesh.io/discovered-endpoint";
const CONFIGURED = "kilo-clustermesh.io/configured-endpoint";
const labels = { [MESH]: "m", [SOURCE]: "src", [CLAIM]: "c", [MESH_ID]: "id" };
const endpoint = { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 };
const spec = { publicKey: key(1), allowedIPs: ["10.1.1.0/24", "10.4.0.1/32"], endpoint };

const found = (more: Record<string, unknown> = {}): LivePeer =>
    readPeer(live("m--src--n1", { labels, ...spec, ...more }))!;
const wanted = (more: Partial<Peer["spec"]> = {}, configured?: string): Peer => ({
    spec: { ...spec, ...more },
    ...(configured === undefined ? {} : { configured }),
});
const differs = (peer: Peer, more: Record<string, unknown> = {}) => difference(peer, labels, found(more));

test("what was written is what is wanted", () => {
    expect(differs(wanted())).toBeUndefined();
    expect(differs(wanted(), { persistentKeepalive: 0 })).toBeUndefined();
    expect(differs(wanted({ persistentKeepalive: 25 }), { persistentKeepalive: 25 })).toBeUndefined();
});

test.each<[string, Peer, Record<string, unknown>]>([
    ["another key", wanted({ publicKey: key(2) }), {}],
    ["another address", wanted({ endpoint: { dnsOrIP: { ip: "192.0.2.2" }, port: 51820 } }), {}],
    ["another port", wanted({ endpoint: { ...endpoint, port: 1 } }), {}],
    ["a name where there was an address", wanted({ endpoint: { dnsOrIP: { dns: "gw.example" }, port: 51820 } }), {}],
    [
        "another name",
        wanted({ endpoint: { dnsOrIP: { dns: "gw.example" }, port: 51820 } }),
        { endpoint: { dnsOrIP: { dns: "gw2.example" }, port: 51820 } },
    ],
    ["another of two networks", wanted({ allowedIPs: [spec.allowedIPs[0]!, "10.4.0.77/32"] }), {}],
    ["no endpoint any more", { spec: { publicKey: key(1), allowedIPs: spec.allowedIPs } }, {}],
    ["an endpoint where there was none", wanted(), { endpoint: undefined }],
    ["a keepalive", wanted({ persistentKeepalive: 25 }), {}],
    ["no keepalive any more", wanted(), { persistentKeepalive: 25 }],
    ["one network more", wanted({ allowedIPs: [...spec.allowedIPs, "10.96.0.0/16"] }), {}],
    ["one network less", wanted({ allowedIPs: ["10.1.1.0/24"] }), {}],
    ["another order of networks", wanted({ allowedIPs: [...spec.allowedIPs].reverse() }), {}],
    ["an endpoint that was adopted", wanted({}, "none"), {}],
    [
        "an adopted endpoint no longer",
        wanted(),
        { annotations: { [DISCOVERED]: "192.0.2.1:51820", [CONFIGURED]: "none" } },
    ],
    ["a preshared key that somebody set", wanted(), { presharedKey: "x" }],
    ["an annotation that somebody removed", wanted({}, "none"), { annotations: { [DISCOVERED]: "192.0.2.1:51820" } }],
    ["a field that we never write", wanted(), { mtu: 1 }],
])("%s is a change of the peer", (_, peer, more) => {
    expect(differs(peer, more)).toBe("spec");
});

test("an adopted endpoint is the same when its record is", () => {
    const annotations = { [DISCOVERED]: "192.0.2.1:51820", [CONFIGURED]: "192.0.2.9:1" };
    expect(differs(wanted({}, "192.0.2.9:1"), { annotations })).toBeUndefined();
    expect(differs(wanted({}, "192.0.2.8:1"), { annotations })).toBe("spec");
});

describe("labels alone", () => {
    test.each([MESH, SOURCE, CLAIM])("%s is restored", (label) => {
        const { [label]: _, ...rest } = labels as Record<string, string>;
        expect(differs(wanted(), { labels: rest })).toBe("labels");
        expect(differs(wanted(), { labels: { ...labels, [label]: "other" } })).toBe("labels");
    });

    test("a mesh id that 0.1.0 did not write is not worth a write, another one is", () => {
        const { [MESH_ID]: _, ...former } = labels;
        expect(differs(wanted(), { labels: former })).toBeUndefined();
        expect(differs(wanted(), { labels: { ...labels, [MESH_ID]: "other" } })).toBe("labels");
    });

    test("of others on our object are nobody's business", () => {
        expect(differs(wanted(), { labels: { ...labels, "example.com/team": "net" } })).toBeUndefined();
    });

    test("count less than the peer itself", () => {
        expect(differs(wanted({ publicKey: key(2) }), { labels: {} })).toBe("spec");
    });
});
