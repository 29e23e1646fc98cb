import { kiloModel } from "../../support/kilo-model/kilo-model";
import { whyInvalid } from "../../support/kilo-model/peer-facts";
import { at, cluster, named, node, pair, peer, pod } from "./world";

describe("E20: the webhook", () => {
    test.each([
        ["host bits", { allowedIPs: ["10.1.0.5/24"] }],
        ["no networks", { allowedIPs: [] }],
        ["a zero key", { publicKey: `${"A".repeat(43)}=` }],
        ["a garbage preshared key", { presharedKey: "x" }],
        ["a keepalive in nanoseconds", { persistentKeepalive: 25_000_000_000 }],
        ["everything", { allowedIPs: ["0.0.0.0/0"] }],
        ["unknown fields", { mtu: 1400 } as object],
    ])("accepts %s", (_, spec) => expect(whyInvalid(peer("a1", spec))).toBeUndefined());

    test.each([
        ["allowedIPs", { allowedIPs: ["10.1.0.0"] }],
        ["endpoint", { endpoint: { dnsOrIP: {}, port: 51820 } }],
        ["endpoint", { endpoint: at("192.0.2.300") }],
        ["endpoint", { endpoint: at("192.0.2.3", 0) }],
        ["endpoint", { endpoint: named("Not_A.Name") }],
        ["persistentKeepalive", { persistentKeepalive: -1 }],
        ["publicKey", { publicKey: "short" }],
    ])("refuses bad %s: %j", (field, spec) => expect(whyInvalid(peer("a1", spec))).toBe(field));

    test("a Peer for everything routes the tunnels into themselves", () => {
        const a = cluster([node("a1")], [peer("b1", { allowedIPs: ["0.0.0.0/0"] })]);
        expect(kiloModel({ ...pair(), a }).reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "endpoint-in-tunnel" });
    });
});
