import { nodeObject, nodeSpecs, publicKey } from "../../../../tools/clusters/node-spec";

const cluster = { name: "c1", index: 0 };
const annotations = (spec: Partial<Parameters<typeof nodeObject>[1]> = {}) =>
    nodeObject(cluster, { name: "n1", ...spec }).metadata?.annotations ?? {};

test("a plain node has all that Kilo's agent writes", () => {
    expect(annotations({ lastSeen: 1_700_000_000 })).toEqual({
        "kilo.squat.ai/endpoint": "198.18.0.1:51820",
        "kilo.squat.ai/granularity": "full",
        "kilo.squat.ai/internal-ip": "10.128.0.1/16",
        "kilo.squat.ai/key": publicKey("c1", "n1"),
        "kilo.squat.ai/last-seen": "1700000000",
        "kilo.squat.ai/wireguard-ip": "100.64.0.1/16",
    });
});

test("null leaves a value out, as before the agent has written it", () => {
    const bare = annotations({ key: null, endpoint: null, wireguardIP: null, granularity: null, lastSeen: null });
    expect(bare).toEqual({ "kilo.squat.ai/internal-ip": "10.128.0.1/16" });
});

test("an internal address of null is written the way Kilo writes that there is none", () => {
    const node = nodeObject(cluster, { name: "n1", internalIP: null });
    expect(node.metadata?.annotations?.["kilo.squat.ai/internal-ip"]).toBe("");
    expect(node.status?.addresses).toEqual([{ type: "Hostname", address: "n1" }]);
});

test("a node behind NAT, a leader, a location, observations", () => {
    const made = annotations({
        persistentKeepalive: 25,
        leader: true,
        location: "nile",
        forceEndpoint: "gate.example:51821",
        clustermeshEndpoint: "192.0.2.9:51820",
        discovered: { [publicKey("c2", "n1")]: { IP: "198.51.100.7", Port: 4000 } },
    });
    expect(made).toMatchObject({
        "kilo.squat.ai/persistent-keepalive": "25",
        "kilo.squat.ai/leader": "true",
        "kilo.squat.ai/location": "nile",
        "kilo.squat.ai/force-endpoint": "gate.example:51821",
        "kilo.squat.ai/clustermesh-endpoint": "192.0.2.9:51820",
        "kilo.squat.ai/discovered-endpoints": `{"${publicKey("c2", "n1")}":{"IP":"198.51.100.7","Port":4000}}`,
    });
});

test("keys are valid, stable and different for every node of every cluster", () => {
    expect(Buffer.from(publicKey("c1", "n1"), "base64")).toHaveLength(32);
    expect(publicKey("c1", "n1")).toBe(publicKey("c1", "n1"));
    expect(new Set([publicKey("c1", "n1"), publicKey("c1", "n2"), publicKey("c2", "n1")]).size).toBe(3);
});

test("pod ranges are the node's own, those given, or none", () => {
    const spec = (podCIDRs?: string[]) => nodeObject(cluster, { name: "n7", ...(podCIDRs && { podCIDRs }) }).spec;
    expect(spec()).toEqual({ podCIDR: "10.16.7.0/24", podCIDRs: ["10.16.7.0/24"] });
    expect(spec(["10.1.0.0/24", "fd00::/64"])).toEqual({
        podCIDR: "10.1.0.0/24",
        podCIDRs: ["10.1.0.0/24", "fd00::/64"],
    });
    expect(spec([])).toEqual({});
});

test("a name without a number needs an index", () => {
    expect(() => nodeObject(cluster, { name: "gateway" })).toThrow("give `index`");
    expect(nodeObject(cluster, { name: "gateway", index: 3 }).spec?.podCIDR).toBe("10.16.3.0/24");
});

test("nodes come in order, named after their cluster", () => {
    expect(nodeSpecs({ name: "hub" }, 2, { location: "x" })).toEqual([
        { name: "hub-n1", index: 1, location: "x" },
        { name: "hub-n2", index: 2, location: "x" },
    ]);
});
