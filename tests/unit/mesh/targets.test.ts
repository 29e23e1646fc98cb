import type { KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec } from "../../../provider/mesh/types";
import {
    CLAIM,
    codes,
    key,
    live,
    located,
    MESH,
    type NodeOptions,
    node,
    ours,
    peersIn,
    plan,
    reasons,
    routes,
    SOURCE,
    source,
    target,
} from "./fixtures";

describe("peers that are not ours", () => {
    const nodes = [node({ seed: 1 }), node({ seed: 2 })];
    const src = { serviceCIDR: "10.96.0.0/16" };
    const among = (...peers: readonly KubePeer[]) => plan(nodes, { src, livePeers: { dst: peers } });

    test.each<[string, KubePeer, string, string]>([
        [
            "hold the name",
            live("m--src--n1"),
            "PeerNameForeign",
            'in "dst" the name "m--src--n1" is held by a peer of nobody we know',
        ],
        [
            "hold the name under another claim",
            live("m--src--n1", { labels: { [CLAIM]: "other" } }),
            "PeerNameForeign",
            'in "dst" the name "m--src--n1" is held by a peer of nobody we know',
        ],
        [
            "have the key",
            live("x", { publicKey: key(1) }),
            "PeerKeyForeign",
            'in "dst" the peer "x", which is not ours, has its public key',
        ],
        [
            "have the pods",
            live("x", { allowedIPs: ["10.1.1.0/24"] }),
            "PeerNetworkForeign",
            '10.1.1.0/24 overlaps the foreign peer "x" of "dst"',
        ],
        [
            "have some of the pods",
            live("x", { allowedIPs: ["junk", "10.1.1.77/32"] }),
            "PeerNetworkForeign",
            '10.1.1.0/24 overlaps the foreign peer "x" of "dst"',
        ],
        [
            "have the WireGuard address",
            live("x", { allowedIPs: ["10.4.0.0/31"] }),
            "PeerNetworkForeign",
            '10.4.0.1/32 overlaps the foreign peer "x" of "dst"',
        ],
    ])("and %s are left alone: the node is skipped there, and what rode on it moves on", (_, peer, reason, message) => {
        const planned = among(peer);
        expect(planned.skipped).toEqual([{ cluster: "src", node: "n1", reason, message, target: "dst" }]);
        expect(routes(planned)).toEqual({ "src--n2": ["10.1.2.0/24", "10.4.0.2/32", "10.96.0.0/16"] });
    });

    test("and have a cluster-wide network cost that network only", () => {
        const planned = among(live("x", { allowedIPs: ["10.96.5.0/24"] }));
        expect(routes(planned)).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
        expect(planned.skipped).toEqual([]);
        expect(planned.issues).toEqual([
            {
                code: "NetworkForeign",
                severity: "warning",
                path: "dst/src",
                message: '10.96.0.0/16 of "src" is not routed in "dst": it overlaps the foreign peer "x"',
                fix: "remove what overlaps there, or take the range out of the source's networks",
            },
        ]);
    });

    test("are described by what they say of themselves", () => {
        const said = (peer: KubePeer) => among(peer).skipped[0]?.message.replace(/^.*held by a peer /, "");
        const hint =
            "; if it was this mesh's before its state was lost or an operator's, set adopt: true, and if the resource was renamed, give it an alias";
        const named = (more: Record<string, unknown>) => live("m--src--n1", more);
        expect(said(named({ labels: { "app.kubernetes.io/managed-by": "helm" } }))).toBe('managed by "helm"');
        expect(said(named({ labels: { [MESH]: "other" } }))).toBe('of mesh "other"');
        expect(said(named({ labels: { [MESH]: "m" } }))).toBe(`of mesh "m"${hint}`);
        expect(said(named({ labels: { [MESH]: "m" }, annotations: { "kilo-clustermesh.io/owner": "o/p/s/m" } }))).toBe(
            `of "o/p/s/m"${hint}`,
        );
    });

    test("in one target change nothing in another", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(), target(), target({ name: "other", podCIDRs: ["10.3.0.0/16"] })],
            nodes: { src: nodes },
            livePeers: { dst: [live("x", { publicKey: key(1) })] },
        });
        expect(Object.keys(peersIn(planned, "dst"))).toEqual(["src--n2"]);
        expect(Object.keys(peersIn(planned, "other"))).toEqual(["src--n1", "src--n2"]);
    });

    test("that throw when looked at are harmless", () => {
        const thrower = new Proxy(
            {},
            {
                getOwnPropertyDescriptor: () => {
                    throw new Error("boom");
                },
            },
        );
        const peers = [
            ours("m--src--n1", { annotations: thrower }),
            ours("m--src--n2", { endpoint: thrower }),
            live("x", { labels: thrower }),
        ];
        expect(Object.keys(routes(plan(nodes, { livePeers: { dst: peers } })))).toEqual(["src--n1", "src--n2"]);
    });

    test("of any shape are harmless", () => {
        const odd = [
            null,
            7,
            {},
            { metadata: {} },
            { metadata: { name: "" } },
            { metadata: { name: "x", labels: 7 }, spec: { publicKey: 7, allowedIPs: "10.1.1.0/24", endpoint: 7 } },
        ];
        expect(Object.keys(routes(plan(nodes, { livePeers: { dst: odd as never } })))).toEqual(["src--n1", "src--n2"]);
        expect(Object.keys(routes(plan(nodes, { livePeers: { dst: "x" as never } })))).toEqual(["src--n1", "src--n2"]);
        expect(Object.keys(routes(plan(nodes, { livePeers: 7 as never })))).toEqual(["src--n1", "src--n2"]);
    });

    test("are all there are where no claim is known", () => {
        const peer = live("m--src--n1", { labels: { [CLAIM]: "", [MESH]: "m", [SOURCE]: "src" } });
        for (const claims of [{}, { dst: "" }]) {
            expect(reasons(plan(nodes, { claims, livePeers: { dst: [peer] } }))).toEqual([
                "src/n1 PeerNameForeign in dst",
            ]);
        }
    });

    test("which bear our claim are ours, whatever else they say", () => {
        const peer = ours("m--src--n1", { publicKey: key(2), allowedIPs: ["10.1.2.0/24"] });
        expect(among(peer).skipped).toEqual([]);
    });
});

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

    test("in a location only the node concerned stays out, and with its address the leader's", () => {
        const nodes = [located({ seed: 1, annotations: { leader: "" } }), located({ seed: 2 })];
        const inUse = (address: string) =>
            plan(nodes, {
                nodes: {
                    dst: [node({ seed: 8, pods: ["10.2.8.0/24"], addresses: [{ type: "InternalIP", address }] })],
                },
            });
        expect(routes(inUse("10.1.2.9"))).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.4.0.1/32"] });
        expect(routes(inUse("10.1.1.9"))).toEqual({ "src--location-eu": ["10.1.2.0/24", "10.4.0.1/32"] });
        expect(routes(inUse("10.4.0.1"))).toEqual({ "src--location-eu": ["10.1.2.0/24"] });
        expect(reasons(inUse("10.4.0.1"))).toEqual(["src/n1 PeerNetworkForeign in dst"]);
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
                message: 'acceptedNetworks of "dst" is empty: no peer is written into it',
                fix: "list what it should let in, or leave acceptedNetworks out",
            },
        ]);
    });
});
