import type { NodeFacts } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { PlanInput } from "../../../provider/mesh/types";
import { key, node, peersIn, plan, source, target } from "./fixtures";

const MESH_ID = "kilo-clustermesh.io/mesh-id";

/** What a plan knows of the source when all it has is what it was given. */
const known = (last: readonly unknown[], more: Partial<PlanInput> = {}) =>
    planMesh({ mesh: "m", clusters: [source(), target()], nodes: {}, lastKnown: { src: last as never }, ...more }).facts
        .src;

test.each([
    ["id-1", "id-1"],
    [7, undefined],
    ["not a label!", undefined],
    [undefined, undefined],
])("the mesh id %j is written as %j", (meshId, expected) => {
    const { labels } = peersIn(plan([node()], { meshId: meshId as string }))["src--n1"]!;
    expect(labels[MESH_ID]).toBe(expected);
});

describe("facts that a former run returned", () => {
    const full: Required<NodeFacts> = {
        name: "n1",
        uid: "u",
        podCIDRs: ["10.1.1.0/24"],
        internalIPs: ["192.168.0.1"],
        externalIPs: ["203.0.113.1"],
        key: key(1),
        wireguardIP: "10.4.0.1/16",
        kiloInternalIP: "192.168.0.1",
        noInternalIP: true,
        granularity: "full",
        location: "eu",
        leader: true,
        clustermeshEndpoint: "192.0.2.1:1",
        forceEndpoint: "192.0.2.2:1",
        kiloEndpoint: "192.0.2.3:1",
        unselected: true,
        ignored: true,
        dials: true,
    };
    const least: NodeFacts = { name: "n2", podCIDRs: [], internalIPs: [], externalIPs: [] };

    test("are the facts of the next, all of them and no more", () => {
        expect(known([full, least])).toStrictEqual([full, least]);
        expect(known([{ ...full, stale: true, kept: ["key"], secret: "x" }])).toStrictEqual([full]);
    });

    test("are bounded: 64 values, 300 characters", () => {
        const many = Array.from({ length: 70 }, (_, i) => `10.1.${i}.0/24`);
        expect(known([{ ...least, podCIDRs: many, location: "x".repeat(400) }])).toStrictEqual([
            { ...least, podCIDRs: many.slice(0, 64), location: `${"x".repeat(300)}…` },
        ]);
    });

    test("that throw when they are looked at are nothing, and cost nobody else", () => {
        const hostile = new Proxy(
            {},
            {
                getOwnPropertyDescriptor: () => {
                    throw new Error("no");
                },
            },
        );
        expect(known([hostile, least])).toStrictEqual([least]);
    });
});

test("of bad arguments nothing is drawn", () => {
    const { issues, ...rest } = planMesh({ mesh: "M", clusters: [], nodes: {} });
    expect(issues.length).toBeGreaterThan(0);
    expect(rest).toEqual({
        peers: {},
        facts: {},
        skipped: [],
        capacity: {
            peersPerTarget: {},
            allPeersPerTarget: {},
            objects: 0,
            wireguardPeersPerNode: {},
            configBytesPerNode: {},
        },
        graph: "flowchart LR\n",
    });
});
