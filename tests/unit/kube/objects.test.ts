import { nodeReducer } from "../../../provider/kube/objects";
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

test("whatever a server sends is reduced without failing, to the promised types", () => {
    fc.assert(
        fc.property(fc.anything(), (anything) => {
            expect(typeof nodeReducer()({ metadata: anything, spec: anything, status: anything }).metadata?.name).toBe(
                "string",
            );
            nodeReducer()(anything);
        }),
    );
});
