import type { KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec } from "../../../provider/mesh/types";
import {
    at,
    BYSTANDER,
    CLAIM,
    codes,
    key,
    live,
    located,
    MESH,
    node,
    ours,
    peersIn,
    plan,
    reasons,
    routes,
    SOURCE,
    saidBy,
    source,
    target,
} from "./fixtures";

const nodes = [node({ seed: 1 }), node({ seed: 2 })];
const src = { serviceCIDR: "10.96.0.0/16" };

describe("peers that are not ours", () => {
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
    ])("and %s are left alone: the node is skipped there, and what rode on it moves on", (_, peer, reason, message) => {
        const planned = among(peer);
        expect(planned.skipped).toEqual([{ cluster: "src", node: "n1", reason, message, target: "dst" }]);
        expect(routes(planned)).toEqual({ "src--n2": ["10.1.2.0/24", "10.4.0.2/32", "10.96.0.0/16"] });
    });

    test("and have a WireGuard or node address cost that address only", () => {
        const planned = plan([node({ seed: 1, addresses: at("192.168.7.1") })], {
            src: { nodeCIDRs: ["192.168.7.0/24"] },
            livePeers: { dst: [live("x", { allowedIPs: ["10.4.0.0/31", "192.168.7.0/30"] })] },
        });
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24"] });
        expect(planned.skipped).toEqual([]);
        expect(codes(planned)).toEqual(["warning NetworkForeign dst/src", "warning NetworkForeign dst/src"]);
        expect(saidBy(planned, "NetworkForeign")).toEqual([
            '10.4.0.1/32 of "src" overlaps the foreign peer "x" in "dst": it is not routed there',
            '192.168.7.1/32 of "src" overlaps the foreign peer "x" in "dst": it is not routed there',
        ]);
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
                message: '10.96.0.0/16 of "src" overlaps the foreign peer "x" in "dst": it is not routed there',
                fix: "Remove what overlaps there, or take the range out of the source's networks",
            },
        ]);
    });

    test("are described by what they say of themselves", () => {
        const said = (peer: KubePeer) => among(peer).skipped[0]?.message.replace(/^.*held by a peer /, "");
        const hint = "; if it was this mesh's before its state was lost, or an operator's, set adopt: true";
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
            nodes: { src: nodes, dst: [BYSTANDER], other: [] },
            livePeers: { dst: [live("x", { publicKey: key(1) })] },
        });
        expect(Object.keys(peersIn(planned, "dst"))).toEqual(["src--n2"]);
        expect(Object.keys(peersIn(planned, "other"))).toEqual(["dst--bystander", "src--n1", "src--n2"]);
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

    test("with our claim are ours, whatever else they say", () => {
        const peer = ours("m--src--n1", { publicKey: key(2), allowedIPs: ["10.1.2.0/24"] });
        expect(among(peer).skipped).toEqual([]);
    });

    test("that hold name, key and networks are one finding", () => {
        const peer = live("m--src--n1", {
            publicKey: key(1),
            allowedIPs: ["10.1.1.0/24", "10.4.0.1/32"],
            labels: { [CLAIM]: "other" },
        });
        expect(reasons(plan(nodes, { livePeers: { dst: [peer] } }))).toEqual(["src/n1 PeerNameForeign in dst"]);
    });

    test("of which two have one key: the first by name is told, in any order", () => {
        const peers = ["y", "x"].map((name) => live(name, { publicKey: key(1) }));
        for (const list of [peers, [...peers].reverse()]) {
            expect(plan(nodes, { livePeers: { dst: list } }).skipped[0]?.message).toContain('"x"');
        }
    });

    test("in several targets are listed for each, in order", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(), target({ name: "z" }), { name: "b", podCIDRs: ["10.3.0.0/16"] }],
            nodes: { src: nodes, z: [], b: [] },
            livePeers: Object.fromEntries(["z", "b"].map((name) => [name, [live("x", { publicKey: key(1) })]])),
        });
        expect(reasons(planned)).toEqual(["src/n1 PeerKeyForeign in b", "src/n1 PeerKeyForeign in z"]);
    });

    test("in a target that was not seen are not known: nothing is written there before it is", () => {
        const planned = plan(nodes, { nodes: {}, livePeers: undefined as never });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "src--n2"]);
    });
});

describe("the networks of somebody else", () => {
    const stranger = (allowedIPs: readonly unknown[]) => ({ dst: [live("x", { allowedIPs })] });

    test("are kept from nodes without a WireGuard address too", () => {
        const clusters: ClusterSpec[] = [{ name: "src", podCIDRs: ["10.1.0.0/16"] }, target()];
        const planned = plan(nodes, { clusters, livePeers: stranger(["10.1.1.0/24"]) });
        expect(routes(planned)).toEqual({ "src--n2": ["10.1.2.0/24"] });
        expect(reasons(planned)).toEqual(["src/n1 PeerNetworkForeign in dst"]);
    });

    test("are not routed with a leader whose own pods the selector leaves out", () => {
        const planned = plan(
            [located({ seed: 1, annotations: { leader: "" } }), located({ seed: 2, labels: { pool: "mesh" } })],
            { src: { nodeSelector: { pool: "mesh" } }, livePeers: stranger(["10.4.0.1/32"]) },
        );
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.2.0/24"] });
        expect(planned.skipped).toEqual([]);
        expect(codes(planned)).toEqual(["warning NetworkForeign dst/src"]);
    });

    test.each([[[7, "x", null, "10.1.1.0/24"]], [["10.1.1.0/24", "x", 7]], [["10.0.0.0/8", "x"]]])(
        "count though other entries of the list %j cannot be read",
        (allowedIPs) => {
            const planned = plan([node({ seed: 1 })], { livePeers: stranger(allowedIPs) });
            expect(reasons(planned)).toEqual(["src/n1 PeerNetworkForeign in dst"]);
        },
    );

    test.each([[{}], [{ name: "" }], [{ name: 7 }]])(
        "are nobody's with the metadata %j: that is no object",
        (metadata) => {
            const peer = { metadata, spec: { publicKey: key(1), allowedIPs: ["10.1.1.0/24"] } } as KubePeer;
            expect(reasons(plan([node({ seed: 1 })], { livePeers: { dst: [peer] } }))).toEqual([]);
        },
    );
});
