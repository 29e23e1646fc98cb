import type { KubePeer } from "../../../provider/kilo/types";
import {
    CLAIM,
    codes,
    key,
    live,
    node,
    ours,
    peersIn,
    plan,
    reasons,
    routes,
    saidBy,
    source,
    target,
} from "./fixtures";

const nodes = [node({ seed: 1 }), node({ seed: 2 })];
const src = { serviceCIDR: "10.96.0.0/16" };

describe("what we hold stays when a stranger comes later, and the issue is an error", () => {
    const held = (more: Record<string, unknown> = {}) =>
        ours("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24", "10.4.0.1/32", "10.96.0.0/16"], ...more });
    const beside = (peer: KubePeer, own = held()) => plan(nodes, { src, livePeers: { dst: [own, peer] } });
    const everything = {
        "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "10.96.0.0/16"],
        "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
    };

    test.each<[string, KubePeer, string]>([
        ["our key", live("x", { publicKey: key(1) }), 'the peer "x", which is not ours, has its public key'],
        ["our pods", live("x", { allowedIPs: ["10.1.1.0/24"] }), '10.1.1.0/24 overlaps the foreign peer "x" of "dst"'],
        [
            "a part of them",
            live("x", { allowedIPs: ["10.1.1.9/32"] }),
            '10.1.1.0/24 overlaps the foreign peer "x" of "dst"',
        ],
        [
            "our address",
            live("x", { allowedIPs: ["10.4.0.1/32"] }),
            '10.4.0.1/32 overlaps the foreign peer "x" of "dst"',
        ],
    ])("with %s", (_, peer, why) => {
        const planned = beside(peer);
        expect(routes(planned)).toEqual(everything);
        expect(planned.skipped).toEqual([]);
        expect(planned.issues).toEqual([
            {
                code: "PeerContested",
                severity: "error",
                path: "src/n1",
                message: `m--src--n1 in "dst" stays as it is: ${why}`,
                fix: "Remove the peer or node named above, or take the range or key away from it: our peer may stop working while both claim it",
            },
        ]);
    });

    test("with a wider range: what is there stays, what is new is refused", () => {
        const planned = beside(live("x", { allowedIPs: ["10.1.0.0/16"] }));
        expect(routes(planned)).toEqual({ "src--n1": everything["src--n1"] });
        expect(reasons(planned)).toEqual(["src/n2 PeerNetworkForeign in dst"]);
        expect(codes(planned)).toEqual(["error PeerContested src/n1"]);
    });

    test("with a cluster-wide network", () => {
        const planned = beside(live("x", { allowedIPs: ["10.96.5.0/24"] }));
        expect(routes(planned)).toEqual(everything);
        expect(codes(planned)).toEqual(["error NetworkForeign dst/src"]);
        expect(saidBy(planned, "NetworkForeign")).toEqual([
            '10.96.0.0/16 of "src" overlaps the foreign peer "x" in "dst": our peer that has it stays as it is',
        ]);
    });

    test("with a key that is new for the node: the peer stays as it is, under its former key", () => {
        const planned = beside(live("x", { publicKey: key(1) }), held({ publicKey: key(7) }));
        expect(peersIn(planned)["src--n1"]?.spec.publicKey).toBe(key(7));
        expect(codes(planned)).toEqual(["error PeerContested src/n1"]);
    });

    test("with an address that is new for the node: it alone is left out", () => {
        const planned = beside(
            live("x", { allowedIPs: ["10.4.0.1/32"] }),
            held({ allowedIPs: ["10.1.1.0/24", "10.4.0.9/32"] }),
        );
        expect(routes(planned)["src--n1"]).toEqual(["10.1.1.0/24", "10.96.0.0/16"]);
    });

    test("with pods of which the target lets in a part, which we hold", () => {
        const planned = plan(nodes, {
            clusters: [source(), target({ acceptedNetworks: ["10.1.1.128/25"] })],
            livePeers: {
                dst: [held({ allowedIPs: ["10.1.1.128/25"] }), live("x", { allowedIPs: ["10.1.0.0/16"] })],
            },
        });
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.128/25"] });
        expect(codes(planned)).toEqual(["error PeerContested src/n1"]);
    });
});

describe("our object whose labels were removed", () => {
    const bare = (more: Record<string, unknown> = {}) =>
        live("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"], ...more });
    const beside = (peer: KubePeer) => plan(nodes, { livePeers: { dst: [peer] } });

    test("is planned like one of ours, for its uid tells whether it is", () => {
        const planned = beside(bare());
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "src--n2"]);
        expect(planned.issues).toEqual([
            {
                code: "PeerUnclaimed",
                severity: "warning",
                path: "dst",
                message:
                    'the labels of "m--src--n1" in "dst" are gone: restored where the object is the one that we wrote, else left alone',
                fix: "Find out who removed them; `pulumi up` tells which were restored",
            },
        ]);
    });

    test.each<[string, Record<string, unknown>]>([
        ["has another key", { publicKey: key(7) }],
        ["has somebody's claim", { labels: { [CLAIM]: "other" } }],
        ["has a mesh id", { labels: { "kilo-clustermesh.io/mesh-id": "other" } }],
    ])("is a stranger's if it %s", (_, more) => {
        expect(reasons(beside(bare(more)))).toContain("src/n1 PeerNameForeign in dst");
    });
});
