import type { KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { type RunInput, run } from "../../../provider/mesh/run";
import type { PlanInput } from "../../../provider/mesh/types";
import { BYSTANDER, CLAIM, codes, key, live, MESH, node, ours, SOURCE, source, target } from "./fixtures";
import { runInput } from "./run-input";

const labels = { [MESH]: "m", [SOURCE]: "src" };
const clusters = [source({ serviceCIDR: "10.96.0.0/16" }), target()];
const nodes = { src: [node({ seed: 1 })], dst: [BYSTANDER] };
const input = (peers: readonly KubePeer[], more: Partial<PlanInput> = {}): PlanInput => ({
    mesh: "m",
    clusters,
    nodes,
    claims: { dst: "c-dst" },
    livePeers: { dst: peers },
    ...more,
});
const given = (peers: readonly KubePeer[], more: Partial<PlanInput> = {}) => planMesh(input(peers, more));
const takenOver = (peers: readonly KubePeer[], more: Partial<PlanInput> = {}, known: Partial<RunInput> = {}) =>
    run({ ...runInput(input(peers, more)), ...known }).targets.dst!.takeOver;

const operator = [
    live("m--src--n1", { labels, publicKey: key(1), allowedIPs: ["10.1.1.0/24"] }),
    live("m--src--anchor", { labels, publicKey: key(1), allowedIPs: ["10.96.0.0/16"] }),
    live("m--src--gone", { labels, publicKey: key(7), allowedIPs: ["10.1.7.0/24"] }),
];

describe("adopt", () => {
    test("takes over an operator's peers and names those that are not wanted any more", () => {
        expect(takenOver(operator, { adopt: true })).toEqual([
            { name: "m--src--anchor", how: "adopted", wanted: false },
            { name: "m--src--gone", how: "adopted", wanted: false },
            { name: "m--src--n1", how: "adopted", wanted: true },
        ]);
        const planned = given(operator, { adopt: true });
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
            expect(takenOver(operator, more)).toEqual([]);
            expect(given(operator, more).peers.dst).toEqual({});
        }
    });

    test("works without a claim, and takes over those of a lost state", () => {
        const lost = live("m--src--n1", { labels: { ...labels, [CLAIM]: "lost" }, publicKey: key(1) });
        const expected = [{ name: "m--src--n1", how: "adopted", wanted: true }];
        expect(takenOver([lost], { adopt: true, claims: {} })).toEqual(expected);
        expect(takenOver([lost], { adopt: true })).toEqual(expected);
    });

    test("does not list what is ours already", () => {
        const own = ours("m--src--n1", { labels: { ...labels, [CLAIM]: "c-dst" } });
        expect(takenOver([own], { adopt: true })).toEqual([]);
    });

    test.each<[string, Record<string, string>]>([
        ["another mesh", { [MESH]: "other", [SOURCE]: "src" }],
        ["no source", { [MESH]: "m" }],
        ["a source that is not in the mesh", { [MESH]: "m", [SOURCE]: "removed" }],
        ["the target itself as source", { [MESH]: "m", [SOURCE]: "dst" }],
    ])("leaves peers with %s alone", (_, other) => {
        const peers = [live("m--src--n1", { labels: other })];
        expect(takenOver(peers, { adopt: true })).toEqual([]);
        expect(given(peers, { adopt: true }).skipped.map(({ reason }) => reason)).toEqual(["PeerNameForeign"]);
    });

    test("leaves peers of a source alone that the target is not linked with", () => {
        const third = { name: "third", podCIDRs: ["10.3.0.0/16"] };
        const more = { adopt: true, clusters: [...clusters, third], topology: { hubs: ["third"] } };
        expect(takenOver(operator, more)).toEqual([]);
    });

    describe("of a source that was not seen", () => {
        const silent = { adopt: true, nodes: { dst: [BYSTANDER] } };

        test("takes over as they are, and gives up no network", () => {
            const [n1, , gone] = operator;
            const planned = given([n1!, gone!], silent);
            expect(planned.peers.dst!["m--src--n1"]!.spec).toEqual(n1!.spec);
            expect(planned.peers.dst!["m--src--gone"]!.spec).toEqual(gone!.spec);
            expect(codes(planned)).toEqual(["warning SourceKept dst/src"]);
        });

        test("of two with one key, which Kilo has one of, keeps one with the networks of both, in any order", () => {
            for (const peers of [operator, [...operator].reverse()]) {
                const planned = given(peers, silent).peers.dst!;
                expect(Object.keys(planned)).toEqual(["m--src--anchor", "m--src--gone"]);
                expect(planned["m--src--anchor"]!.spec).toEqual({
                    publicKey: key(1),
                    allowedIPs: ["10.96.0.0/16", "10.1.1.0/24"],
                });
            }
        });

        test("keeps them within what the arguments allow", () => {
            const wide = live("m--src--n1", {
                labels,
                publicKey: key(1),
                allowedIPs: ["10.1.1.0/24", "10.77.0.0/16", "10.2.5.0/24"],
            });
            expect(given([wide], silent).peers.dst!["m--src--n1"]!.spec.allowedIPs).toEqual(["10.1.1.0/24"]);
            const excluding = [source({ excludeNodes: ["n1"] }), target()];
            expect(given([wide], { ...silent, clusters: excluding }).peers.dst).toEqual({});
            const accepting = [source(), target({ acceptedNetworks: ["10.1.1.128/25"] })];
            expect(given([wide], { ...silent, clusters: accepting }).peers.dst!["m--src--n1"]!.spec.allowedIPs).toEqual(
                ["10.1.1.128/25"],
            );
        });

        test("keeps a node's peer while Kilo starts there, and drops that of a node which is not listed", () => {
            const starting = { metadata: { name: "n1" }, spec: { podCIDR: "10.1.1.0/24" } };
            const planned = given(operator, { adopt: true, nodes: { src: [starting], dst: [BYSTANDER] } });
            expect(Object.keys(planned.peers.dst!)).toEqual(["m--src--n1"]);
            expect(planned.peers.dst!["m--src--n1"]!.spec).toEqual({
                publicKey: key(1),
                allowedIPs: ["10.1.1.0/24", "10.96.0.0/16"],
                persistentKeepalive: 25,
            });
        });

        test("keeps the peer of a location, of which nothing says who is in it", () => {
            const peers = [live("m--src--location-eu", { labels, publicKey: key(7), allowedIPs: ["10.1.7.0/24"] })];
            const starting = { metadata: { name: "n1" }, spec: { podCIDR: "10.1.1.0/24" } };
            const planned = given(peers, { adopt: true, nodes: { src: [starting], dst: [BYSTANDER] } });
            expect(Object.keys(planned.peers.dst!)).toEqual(["m--src--location-eu"]);
        });
    });
});

describe("peers of a member that was renamed or replaced", () => {
    const MESH_ID = "kilo-clustermesh.io/mesh-id";
    const former = (more: Record<string, string> = {}) => [
        live("m--src--n1", {
            labels: { ...labels, [CLAIM]: "former", [MESH_ID]: "id-1", ...more },
            publicKey: key(1),
            allowedIPs: ["10.1.1.0/24"],
        }),
    ];

    test("are taken over by the mesh's own id", () => {
        expect(takenOver(former(), { meshId: "id-1" })).toEqual([
            { name: "m--src--n1", how: "taken over", wanted: true },
        ]);
    });

    test.each<[string, Record<string, string>, Partial<PlanInput>]>([
        ["another mesh's", { [MESH_ID]: "id-2" }, { meshId: "id-1" }],
        ["those of a mesh without an id", {}, {}],
        ["those of a member that the mesh has", {}, { meshId: "id-1", claims: { dst: "c-dst", src: "former" } }],
    ])("but not %s", (_, more, args) => {
        expect(takenOver(former(more), args)).toEqual([]);
    });

    test("are still theirs while a source is unknown: nothing is said of them", () => {
        expect(
            takenOver(
                former(),
                { meshId: "id-1" },
                { knowledge: { ...runInput(input(former())).knowledge, src: { state: "unknown" } } },
            ),
        ).toEqual([]);
    });
});
