import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { distinctPeerName } from "../../../provider/mesh/names";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { key, located, node, ours, plan, source, target } from "./fixtures";

describe("segments that come to one name", () => {
    const locatedIn = (seed: number, location: string) => located({ seed, annotations: { location } });
    const both = [locatedIn(1, "EU"), locatedIn(2, "eu")];
    const names = (nodes: readonly KubeNode[], peers: readonly KubePeer[] = []) =>
        Object.fromEntries(
            Object.entries(plan(nodes, { livePeers: { dst: peers } }).peers.dst!).map(([name, { spec }]) => [
                spec.publicKey,
                name,
            ]),
        );
    const plain = "m--src--location-eu";

    test("each have a name of their own, the same in any order", () => {
        const given = names(both);
        expect(Object.values(given).filter((name) => name === plain)).toHaveLength(1);
        expect(Object.values(given).filter((name) => /^m--src--location-eu-[0-9a-f]{16}$/.test(name))).toHaveLength(1);
        expect(names([...both].reverse())).toEqual(given);
    });

    test("have the same names whichever of their nodes comes first by name", () => {
        const byLocation = (nodes: readonly KubeNode[]) =>
            Object.keys(names(nodes)).map((found) => [found === key(1) ? "EU" : "eu", names(nodes)[found]]);
        const swapped = [located({ name: "n9", seed: 1, annotations: { location: "EU" } }), both[1]!];
        expect(byLocation(swapped).sort()).toEqual(byLocation(both).sort());
    });

    test("keep the name under which they live, whoever comes and goes", () => {
        const alone = names([both[1]!]);
        expect(alone).toEqual({ [key(2)]: plain });
        for (const first of [1, 2]) {
            const holder = ours(plain, { publicKey: key(first) });
            const given = names(both, [holder]);
            expect(given[key(first)]).toBe(plain);
            const other = key(3 - first);
            const yielded = ours(given[other]!, { publicKey: other });
            expect(names([both[2 - first]!], [yielded])).toEqual({ [other]: given[other] });
            expect(names(both, [yielded])[other]).toBe(given[other]);
        }
    });

    test("of different clusters are told apart too", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [
                { name: "a", podCIDRs: ["10.1.0.0/16"] },
                { name: "a--b", podCIDRs: ["10.2.0.0/16"] },
                { name: "dst", podCIDRs: ["10.3.0.0/16"] },
            ],
            nodes: {
                a: [node({ name: "b--n", seed: 1 })],
                "a--b": [node({ name: "n", seed: 2, pods: ["10.2.1.0/24"] })],
            },
        });
        const found = Object.keys(planned.peers.dst!);
        expect(found).toHaveLength(2);
        expect(found.filter((name) => name === "m--a--b--n")).toHaveLength(1);
    });

    test("a node never yields to a location", () => {
        const nodes = [node({ name: "location-eu", seed: 1 }), locatedIn(2, "eu")];
        expect(Object.values(names(nodes))).toContain(plain);
        expect(new Set(Object.values(names(nodes))).size).toBe(2);
        expect(Object.keys(plan([node({ name: "n1" }), locatedIn(2, "x")]).peers.dst!)).toEqual([
            "m--src--location-x",
            "m--src--n1",
        ]);
    });
});

describe("the name of a node", () => {
    const namesBeside = (name: string): string[] => {
        const yielded = distinctPeerName("m", "src", name, `node ${name}`);
        return Object.keys(plan([node({ name })], { livePeers: { dst: [ours(yielded)] } }).peers.dst!);
    };

    test.each(["n1", "ip-10-0-0-1.eu.internal", "a-b"])(
        "that is ordinary is its ordinary one, whatever else lives there: %s",
        (name) => {
            expect(namesBeside(name)).toEqual([`m--src--${name}`]);
        },
    );

    test.each(["Node", "a--b", "location-eu", "a_b", "x".repeat(300)])(
        "that could be mistaken for another's stays the one it yielded to: %s",
        (name) => {
            expect(namesBeside(name)).toEqual([distinctPeerName("m", "src", name, `node ${name}`)]);
        },
    );

    test("that differs from another's in case only is its own, beside a cluster of ordinary ones", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(), target(), { name: "plain", podCIDRs: ["10.3.0.0/16"] }],
            nodes: {
                src: [node({ name: "N", seed: 1 }), node({ name: "n", seed: 2 })],
                plain: [node({ seed: 3, pods: ["10.3.1.0/24"] })],
            },
        });
        expect(Object.keys(planned.peers.dst!)).toHaveLength(3);
        expect(planned.peers.dst!["m--src--n"]!.spec.publicKey).toBe(key(2));
    });
});
