import type { ClusterSpec } from "../../../provider/mesh/types";
import {
    CLAIM,
    codes,
    key,
    located,
    type NodeOptions,
    node,
    peersIn,
    plan,
    reasons,
    routes,
    source,
    target,
} from "./fixtures";

describe("what a target's own nodes use is never routed away from them", () => {
    const guarded = (options: NodeOptions, src: Partial<ClusterSpec> = {}) =>
        plan([node({ seed: 1 }), node({ seed: 2 })], {
            src,
            nodes: { dst: [node({ seed: 8, pods: ["10.2.8.0/24"], ...options })] },
        });
    const said = (planned: ReturnType<typeof plan>) =>
        planned.skipped
            .filter(({ target: where }) => where === "dst")
            .map(({ reason, message }) => `${reason} ${message}`);

    test("its pods, though they lie outside its declared networks", () => {
        expect(said(guarded({ pods: ["10.1.1.0/25"] }))).toEqual([
            'PeerNetworkForeign 10.1.1.0/24 overlaps what node "n8" uses of "dst"',
        ]);
    });

    test.each<[string, NodeOptions]>([
        ["its address", { addresses: [{ type: "InternalIP", address: "10.1.1.9" }] }],
        ["its external address", { addresses: [{ type: "ExternalIP", address: "10.1.1.9" }] }],
        ["the address that Kilo uses", { annotations: { "internal-ip": "10.1.1.9/24" } }],
        ["its WireGuard address", { annotations: { "wireguard-ip": "10.1.1.9/24" } }],
    ])("%s", (_, options) => {
        expect(said(guarded(options))).toEqual([
            'PeerNetworkForeign 10.1.1.0/24 overlaps what node "n8" uses of "dst"',
        ]);
    });

    test("nor its key", () => {
        const planned = plan([node({ seed: 1 })], {
            clusters: [source({ name: "a" }), target()],
            nodes: {
                a: [node({ seed: 1 })],
                dst: [node({ seed: 8, pods: ["10.2.8.0/24"], annotations: { key: key(1) } })],
            },
        });
        expect(reasons(planned)).toEqual(["a/n1 PeerKeyForeign in dst", "dst/n8 NodePublicKeyDuplicate"]);
        expect(planned.skipped[0]?.message).toBe('in "dst" one of the cluster\'s own nodes has its public key');
    });

    test("a cluster-wide network of the source is left out there", () => {
        const planned = guarded(
            { addresses: [{ type: "InternalIP", address: "10.96.0.9" }] },
            { serviceCIDR: "10.96.0.0/16" },
        );
        expect(codes(planned)).toEqual(["warning NetworkForeign dst/src"]);
    });

    test("in a location only the node concerned stays out, and of the leader its address", () => {
        const nodes = [located({ seed: 1, annotations: { leader: "" } }), located({ seed: 2 })];
        const inUse = (address: string) =>
            plan(nodes, {
                nodes: {
                    dst: [node({ seed: 8, pods: ["10.2.8.0/24"], addresses: [{ type: "InternalIP", address }] })],
                },
            });
        expect(routes(inUse("10.1.2.9"))).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.4.0.1/32"] });
        expect(routes(inUse("10.1.1.9"))).toEqual({ "src--location-eu": ["10.1.2.0/24", "10.4.0.1/32"] });
        expect(routes(inUse("10.4.0.1"))).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24"] });
        expect(reasons(inUse("10.4.0.1"))).toEqual([]);
        expect(codes(inUse("10.4.0.1"))).toEqual(["warning NetworkForeign dst/src"]);
    });
});

describe("accepted networks", () => {
    const into = (acceptedNetworks: readonly string[], src: Partial<ClusterSpec> = {}) =>
        plan([node({ seed: 1 }), node({ seed: 2 })], {
            clusters: [source({ serviceCIDR: "10.96.0.0/16", ...src }), target({ acceptedNetworks })],
        });

    test.each<[string, readonly string[], Record<string, readonly string[]>]>([
        [
            "everything",
            ["10.0.0.0/8"],
            { "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "10.96.0.0/16"], "src--n2": ["10.1.2.0/24", "10.4.0.2/32"] },
        ],
        ["one node", ["10.1.2.0/24"], { "src--n2": ["10.1.2.0/24"] }],
        [
            "a part of a range",
            ["10.96.7.0/24", "10.96.5.0/24", "10.1.1.128/25"],
            { "src--n1": ["10.1.1.128/25", "10.96.5.0/24", "10.96.7.0/24"] },
        ],
        ["nested ranges", ["10.1.0.0/16", "10.1.1.0/24"], { "src--n1": ["10.1.1.0/24"], "src--n2": ["10.1.2.0/24"] }],
        ["nothing of this", ["172.16.0.0/12"], {}],
    ])("let in %s", (_, accepted, expected) => {
        expect(routes(into(accepted))).toEqual(expected);
    });

    test("that are empty let nothing in, with a warning", () => {
        const planned = into([]);
        expect(peersIn(planned)).toEqual({});
        expect(planned.issues).toEqual([
            {
                code: "AcceptsNothing",
                severity: "warning",
                path: "dst",
                message: 'acceptedNetworks of "dst" lets nothing in: no peer is written into it',
                fix: "List the networks that it should accept, or remove acceptedNetworks",
            },
        ]);
    });

    test("that have nothing of a source are a warning for that source", () => {
        const planned = into(["172.16.0.0/12"]);
        expect(planned.issues).toEqual([
            {
                code: "AcceptedNothingOf",
                severity: "warning",
                path: "dst/src",
                message: 'acceptedNetworks of "dst" has nothing of "src": no peer of it is written there',
                fix: "Add a range of that cluster to acceptedNetworks, or take the link out of the topology",
            },
        ]);
        expect(into(["10.1.2.0/24"]).issues).toEqual([]);
        const clusters = [source(), target({ acceptedNetworks: ["172.16.0.0/12"] })];
        expect(codes(plan([], { clusters }))).toEqual(["warning ClusterNoNodes src"]);
    });
});

test("an empty claim is no label", () => {
    for (const claims of [{ dst: "" }, {}]) {
        expect(peersIn(plan([node()], { claims }))["src--n1"]?.labels).not.toHaveProperty([CLAIM]);
    }
});
