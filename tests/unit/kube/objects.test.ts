import { nodeReducer, PRESHARED_KEY_SET, reducePeer } from "../../../provider/kube/objects";
import fc from "../../support/chance";

describe("of a node, only what planning reads is kept", () => {
    test("its uid, Kilo's annotations, whether it opts out, the pod networks, the addresses, the labels asked for", () => {
        const node = {
            metadata: {
                name: "n1",
                uid: "u",
                annotations: {
                    "kilo.squat.ai/key": "k",
                    "kilo.squat.ai/location": "",
                    "kilo-clustermesh.io/ignore": "true",
                    other: "x",
                },
                labels: { "topology.kubernetes.io/region": "eu", pool: "a", big: "x" },
                managedFields: [{}],
            },
            spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"], providerID: "x" },
            status: { addresses: [{ type: "InternalIP", address: "192.0.2.1" }], images: [{ names: ["x"] }] },
        };
        expect(nodeReducer(["pool"])(node)).toEqual({
            metadata: {
                name: "n1",
                uid: "u",
                annotations: {
                    "kilo.squat.ai/key": "k",
                    "kilo.squat.ai/location": "",
                    "kilo-clustermesh.io/ignore": "true",
                },
                labels: { "topology.kubernetes.io/region": "eu", pool: "a" },
            },
            spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] },
            status: { addresses: [{ type: "InternalIP", address: "192.0.2.1" }] },
        });
        expect(nodeReducer()(node).metadata?.labels).toEqual(node.metadata.labels);
    });

    test("a value longer than any valid one is cut, and stays wrong", () => {
        const { metadata } = nodeReducer()({ metadata: { annotations: { "kilo.squat.ai/key": "k".repeat(65_536) } } });
        expect(metadata?.annotations?.["kilo.squat.ai/key"]).toHaveLength(1024);
    });

    test("observations are kept whole, up to a bound for the whole cluster", () => {
        const reduce = nodeReducer();
        const observe = (size: number) =>
            reduce({ metadata: { annotations: { "kilo.squat.ai/discovered-endpoints": "x".repeat(size) } } }).metadata
                ?.annotations?.["kilo.squat.ai/discovered-endpoints"]?.length;
        expect(observe(200_000)).toBe(200_000);
        expect(observe(1_000_000)).toBeUndefined();
        const kept = Array.from({ length: 1000 }, () => observe(200_000)).filter((length) => length !== undefined);
        expect(kept.length).toBeGreaterThan(100);
        expect(kept.length * 200_000).toBeLessThan(33 << 20);
    });
});

describe("of a peer, only what planning and ownership read is kept", () => {
    const spec = {
        allowedIPs: ["10.0.0.0/24"],
        publicKey: "k",
        endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
        persistentKeepalive: 25,
    };

    test("our labels and annotations, and the spec", () => {
        const labels = { "kilo-clustermesh.io/mesh": "m", "app.kubernetes.io/managed-by": "pulumi" };
        const annotations = { "kilo-clustermesh.io/owner": "o" };
        const object = {
            apiVersion: "v",
            metadata: {
                name: "p",
                uid: "u",
                resourceVersion: "1",
                labels: { ...labels, team: "x" },
                annotations: { ...annotations, "kubectl.kubernetes.io/last-applied-configuration": "{}" },
            },
            spec,
        };
        expect(reducePeer(object)).toEqual({ metadata: { name: "p", uid: "u", labels, annotations }, spec });
    });

    test("that it waits for finalizers, and whose", () => {
        const deletionTimestamp = "2026-01-02T03:04:05Z";
        const finalizers = ["example.com/a", 7, "example.com/b"];
        expect(reducePeer({ metadata: { name: "p", uid: "u", deletionTimestamp, finalizers }, spec }).metadata).toEqual(
            {
                name: "p",
                uid: "u",
                terminating: true,
                finalizers: ["example.com/a", "example.com/b"],
            },
        );
        expect(reducePeer({ metadata: { name: "p", uid: "u", finalizers: [] }, spec }).metadata).toEqual({
            name: "p",
            uid: "u",
        });
    });

    test("that it has a preshared key, never which", () => {
        const reduced = reducePeer({ metadata: {}, spec: { ...spec, presharedKey: "very-secret" } });
        expect(reduced.spec.presharedKey).toBe(PRESHARED_KEY_SET);
        expect(JSON.stringify(reduced)).not.toContain("very-secret");
    });

    test("every network, however many: one that was left out could be given away twice", () => {
        const allowedIPs = Array.from({ length: 10_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/32`);
        expect(reducePeer({ spec: { ...spec, allowedIPs } }).spec.allowedIPs).toEqual(allowedIPs);
    });
});

test("whatever a server sends is reduced without failing, to the promised types", () => {
    fc.assert(
        fc.property(fc.anything(), (anything) => {
            const peer = reducePeer({ metadata: anything, spec: anything });
            expect(typeof peer.metadata.name).toBe("string");
            expect(Array.isArray(peer.spec.allowedIPs)).toBe(true);
            expect(typeof nodeReducer()({ metadata: anything, spec: anything, status: anything }).metadata?.name).toBe(
                "string",
            );
            reducePeer(anything);
            nodeReducer()(anything);
        }),
    );
});
