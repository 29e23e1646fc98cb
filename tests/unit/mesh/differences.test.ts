import { readPeer } from "../../../provider/kilo/peer";
import { differences } from "../../../provider/mesh/report/differences";
import { key, live } from "./fixtures";

const peer = (spec: object) => {
    const object = live("p", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
    return readPeer({ ...object, spec: { ...object.spec, ...spec } })!;
};
const ip = (address: string) => ({ dnsOrIP: { ip: address }, port: 51820 });

test.each<[string, object, string]>([
    ["keepalive", { persistentKeepalive: 99 }, "keepalive 99 instead of 0"],
    ["key", { publicKey: key(2) }, "another key"],
    ["networks", { allowedIPs: ["10.66.0.0/24"] }, "without 10.1.1.0/24, with 10.66.0.0/24"],
    ["endpoint", { endpoint: ip("192.0.2.9") }, "endpoint 192.0.2.9:51820 instead of 192.0.2.1:51820"],
    ["preshared key, which is not repeated", { presharedKey: key(3) }, "presharedKey set"],
])("a peer with another %s is described by it and nothing else", (_, spec, said) => {
    const endpoint = ip("192.0.2.1");
    expect(differences(peer({ endpoint }), peer({ endpoint, ...spec }))).toBe(said);
});

test("an endpoint that is not there is none", () => {
    expect(differences(peer({}), peer({ endpoint: ip("192.0.2.9") }))).toBe("endpoint 192.0.2.9:51820 instead of none");
});

test("peers with the same parts differ in their order, or in what is noted of their endpoint", () => {
    const allowedIPs = ["10.1.1.0/24", "10.1.2.0/24"];
    expect(differences(peer({ allowedIPs }), peer({ allowedIPs: [...allowedIPs].reverse() }))).toBe(
        "its networks in another order, or another note on its endpoint",
    );
});

test("what a stranger wrote stays on one line", () => {
    expect(differences(peer({}), peer({ allowedIPs: ["10.1.1.0/24", "x\ny"] }))).not.toContain("\n");
});
