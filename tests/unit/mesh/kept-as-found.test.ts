import type { KubePeer, NodeFacts } from "../../../provider/kilo/types";
import { recordable } from "../../../provider/mesh/knowledge";
import type { PlanInput } from "../../../provider/mesh/types";
import {
    BYSTANDER,
    CLAIM,
    codes,
    key,
    node,
    ours,
    peersIn,
    plan,
    routes,
    SOURCE,
    saidBy,
    source,
    target,
} from "./fixtures";

const STARTING = { metadata: { name: "n1" } };
const dst = [BYSTANDER];

/** What a node was last known by. */
const facts = (seed: number, more: Partial<NodeFacts> = {}): NodeFacts =>
    recordable({ ...plan([node({ seed })]).facts.src![0]!, ...more });

/** The source did not answer; `last` is what is known of it. */
const silent = (peers: readonly KubePeer[], last: readonly NodeFacts[] = [], more: Partial<PlanInput> = {}) =>
    plan([], { nodes: { src: undefined as never, dst }, livePeers: { dst: peers }, lastKnown: { src: last }, ...more });

const N1 = ours("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
const LOCATION = ours("m--src--location-eu", { publicKey: key(7), allowedIPs: ["10.1.7.0/24"] });

describe("a peer of a source of which nothing is known", () => {
    test("keeps its endpoint, its keepalive and what its endpoint replaced", () => {
        const spec = {
            publicKey: key(1),
            allowedIPs: ["10.1.1.0/24"],
            endpoint: { dnsOrIP: { ip: "198.51.100.1" }, port: 4500 },
            persistentKeepalive: 7,
        };
        const annotations = {
            "kilo-clustermesh.io/discovered-endpoint": "198.51.100.1:4500",
            "kilo-clustermesh.io/configured-endpoint": "192.0.2.1:51820",
        };
        const kept = peersIn(silent([ours("m--src--n1", { ...spec, annotations })]))["src--n1"]!;
        expect(kept.spec).toStrictEqual(spec);
        expect(kept.annotations).toEqual(annotations);
    });

    test("gets no more than it has", () => {
        const kept = peersIn(silent([N1]))["src--n1"]!;
        expect(kept.spec).toStrictEqual({ publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
        expect(kept).not.toHaveProperty("annotations");
    });

    test("loses an endpoint and a keepalive that we would never write", () => {
        const odd = { endpoint: { dnsOrIP: { ip: "nonsense" }, port: 1 }, persistentKeepalive: 70_000 };
        const kept = peersIn(silent([ours("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"], ...odd })]));
        expect(kept["src--n1"]!.spec).toStrictEqual({ publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
    });

    test("is named, and stands among the planned ones in the order of names", () => {
        const planned = silent([N1], [facts(2)]);
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "src--n2"]);
        expect(saidBy(planned, "SourceKept")).toEqual([
            expect.stringContaining('1 peer of "src" in "dst" ("m--src--n1")'),
        ]);
    });

    test("gives up what the arguments reserve", () => {
        const clusters = [source({ reserved: ["10.9.0.0/16"] }), target()];
        const wide = ours("m--src--n1", { publicKey: key(1), allowedIPs: ["10.9.1.0/24", "10.1.1.0/24"] });
        expect(routes(silent([wide], [], { clusters }))).toEqual({ "src--n1": ["10.1.1.0/24"] });
    });

    test("gives up what a node that is known has", () => {
        const former = ours("m--src--old", { publicKey: key(9), allowedIPs: ["10.1.2.0/24", "10.1.9.0/24"] });
        expect(routes(silent([former], [facts(2)]))["src--old"]).toEqual(["10.1.9.0/24"]);
        const empty = ours("m--src--old", { publicKey: key(9), allowedIPs: ["10.1.2.0/24"] });
        expect(Object.keys(routes(silent([empty], [facts(2)])))).toEqual(["src--n2"]);
    });

    test("goes where a node that is known has its key, or it has none", () => {
        const same = ours("m--src--old", { publicKey: key(2), allowedIPs: ["10.1.9.0/24"] });
        expect(Object.keys(routes(silent([same], [facts(2)])))).toEqual(["src--n2"]);
        const none = ours("m--src--old", { publicKey: "none", allowedIPs: ["10.1.9.0/24"] });
        expect(routes(silent([none]))).toEqual({});
    });

    test("follows its node where that one is known, by another key too", () => {
        const planned = silent([N1], [facts(1, { key: key(5) })]);
        expect(peersIn(planned)["src--n1"]!.spec.publicKey).toBe(key(5));
        expect(codes(planned)).toEqual([]);
    });

    test("is not one of another source", () => {
        const other = ours("m--third--n1", {
            labels: { [CLAIM]: "c-dst", [SOURCE]: "third" },
            publicKey: key(3),
            allowedIPs: ["10.1.3.0/24"],
        });
        expect(routes(silent([N1, other]))).toEqual({ "src--n1": ["10.1.1.0/24"] });
    });
});

describe("what is not planned is not wanted", () => {
    const seen = (nodes: readonly unknown[], peers: readonly KubePeer[], src: object = {}) =>
        Object.keys(routes(plan(nodes, { src, livePeers: { dst: peers } })));

    test("as soon as Kilo has set up one of the listed nodes", () => {
        expect(seen([node({ seed: 2 }), STARTING], [N1, LOCATION])).toEqual(["src--n2"]);
    });

    test("unless Kilo has set up none of them: then only the peers of nodes that are gone go", () => {
        const gone = ours("m--src--n3", { publicKey: key(3), allowedIPs: ["10.1.3.0/24"] });
        expect(seen([STARTING], [N1, gone, LOCATION])).toEqual(["src--location-eu", "src--n1"]);
        expect(seen([STARTING], [LOCATION], { allowEmpty: true })).toEqual(["src--location-eu"]);
    });

    test("nor where the cluster lists none, unless it is meant to be empty", () => {
        expect(seen([], [N1, LOCATION])).toEqual(["src--location-eu", "src--n1"]);
        expect(seen([], [N1, LOCATION], { allowEmpty: true })).toEqual([]);
    });

    test("nor where it did not answer, though some of its nodes are known", () => {
        expect(Object.keys(routes(silent([N1, LOCATION], [facts(2)])))).toEqual([
            "src--location-eu",
            "src--n1",
            "src--n2",
        ]);
    });
});
