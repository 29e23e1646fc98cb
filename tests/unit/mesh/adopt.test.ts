import { readNodes } from "../../../provider/kilo/read-nodes";
import type { KubePeer } from "../../../provider/kilo/types";
import { planFromFacts } from "../../../provider/mesh/plan/plan";
import type { PlanInput } from "../../../provider/mesh/types";
import { CLAIM, key, live, MESH, node, ours, SOURCE, source, target } from "./fixtures";

describe("adopt", () => {
    const labels = { [MESH]: "m", [SOURCE]: "src" };
    const clusters = [source({ serviceCIDR: "10.96.0.0/16" }), target()];
    const facts = { src: readNodes([node({ seed: 1 })], clusters[0]!) };
    const given = (peers: readonly KubePeer[], more: Partial<PlanInput> = {}) =>
        planFromFacts({ mesh: "m", clusters, facts, claims: { dst: "c-dst" }, livePeers: { dst: peers }, ...more });
    const operator = [
        live("m--src--n1", { labels, publicKey: key(1), allowedIPs: ["10.1.1.0/24"] }),
        live("m--src--anchor", { labels, publicKey: key(1), allowedIPs: ["10.96.0.0/16"] }),
        live("m--src--gone", { labels, publicKey: key(7), allowedIPs: ["10.1.7.0/24"] }),
    ];

    test("takes over an operator's peers and names those that are not wanted any more", () => {
        const planned = given(operator, { adopt: true });
        expect(planned.adopted).toEqual({ src: [], dst: ["m--src--anchor", "m--src--gone", "m--src--n1"] });
        expect(Object.keys(planned.peers.dst!)).toEqual(["m--src--n1"]);
        expect(planned.peers.dst!["m--src--n1"]!.spec.allowedIPs).toEqual([
            "10.1.1.0/24",
            "10.4.0.1/32",
            "10.96.0.0/16",
        ]);
        expect(planned.skipped).toEqual([]);
    });

    test("is asked for: otherwise they are somebody else's", () => {
        for (const more of [{}, { adopt: false }]) {
            const planned = given(operator, more);
            expect(planned.adopted).toEqual({ src: [], dst: [] });
            expect(planned.peers.dst).toEqual({});
        }
    });

    test("works without a claim, and takes over those of a lost state", () => {
        const lost = live("m--src--n1", { labels: { ...labels, [CLAIM]: "lost" }, publicKey: key(1) });
        expect(given([lost], { adopt: true, claims: {} }).adopted.dst).toEqual(["m--src--n1"]);
        expect(given([lost], { adopt: true }).adopted.dst).toEqual(["m--src--n1"]);
    });

    test("does not list what is ours already", () => {
        expect(
            given([ours("m--src--n1", { labels: { ...labels, [CLAIM]: "c-dst" } })], { adopt: true }).adopted.dst,
        ).toEqual([]);
    });

    test.each<[string, Record<string, string>]>([
        ["another mesh", { [MESH]: "other", [SOURCE]: "src" }],
        ["no source", { [MESH]: "m" }],
        ["a source that is not in the mesh", { [MESH]: "m", [SOURCE]: "removed" }],
        ["the target itself as source", { [MESH]: "m", [SOURCE]: "dst" }],
    ])("leaves peers with %s alone", (_, other) => {
        const planned = given([live("m--src--n1", { labels: other })], { adopt: true });
        expect(planned.adopted.dst).toEqual([]);
        expect(planned.skipped.map(({ reason }) => reason)).toEqual(["PeerNameForeign"]);
    });
});
