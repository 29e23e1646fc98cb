import { crossMeshIssues } from "../../../provider/mesh/args/cross-mesh";
import { linkedPairs } from "../../../provider/mesh/args/topology";
import type { ClusterSpec, MeshSpec } from "../../../provider/mesh/types";
import { a, b } from "./arguments";

describe("meshes of one program", () => {
    const one = (more: Partial<MeshSpec> = {}): MeshSpec => {
        return { mesh: "one", clusters: [a(), b()] as ClusterSpec[], ...more };
    };
    const codes = (...meshes: readonly MeshSpec[]) =>
        crossMeshIssues(meshes).map(({ code, path }) => `${code} ${path}`);

    test("must not overlap", () => {
        const two = {
            mesh: "two",
            clusters: [
                { name: "c", podCIDRs: ["10.1.7.0/24"] },
                { name: "d", podCIDRs: ["10.4.0.0/16"] },
            ],
        };
        expect(codes(one(), two)).toEqual(["CidrOverlap two/clusters[0].podCIDRs[0]"]);
        expect(codes(two, one())).toEqual(["CidrOverlap one/clusters[0].podCIDRs[0]"]);
    });

    test("may share a cluster, and what is wrong inside one of them is not said again", () => {
        const shared = { mesh: "two", clusters: [a(), { name: "d", podCIDRs: ["10.4.0.0/16"] }] as ClusterSpec[] };
        expect(codes(one(), shared)).toEqual([]);
        const broken = one({ clusters: [a(), b({ podCIDRs: ["10.1.0.0/24", "junk"] })] as ClusterSpec[] });
        expect(codes(broken, { mesh: "x", clusters: [] })).toEqual([]);
    });

    test("need names of their own where they share two clusters", () => {
        expect(codes(one(), one())).toEqual(["MeshNameDuplicate one"]);
        expect(codes(one(), one({ mesh: "two" }))).toEqual([]);
        expect(codes(one(), one({ clusters: [a()] as ClusterSpec[] }))).toEqual([]);
        expect(codes()).toEqual([]);
    });
});

describe("who sees whom", () => {
    const names = ["c", "a", "b"];

    test.each<[string, Parameters<typeof linkedPairs>[1], Record<string, readonly string[]>]>([
        ["a full mesh", undefined, { a: ["b", "c"], b: ["a", "c"], c: ["a", "b"] }],
        ["an empty topology", {}, { a: ["b", "c"], b: ["a", "c"], c: ["a", "b"] }],
        ["a hub", { hubs: ["b"] }, { a: ["b"], b: ["a", "c"], c: ["b"] }],
        ["a hub twice", { hubs: ["b", "b"] }, { a: ["b"], b: ["a", "c"], c: ["b"] }],
        [
            "links",
            {
                links: [
                    { a: "c", b: "a" },
                    { a: "a", b: "c" },
                ],
            },
            { a: ["c"], b: [], c: ["a"] },
        ],
        [
            "a hub and a link",
            { hubs: ["b"], links: [{ a: "a", b: "c" }] },
            { a: ["b", "c"], b: ["a", "c"], c: ["a", "b"] },
        ],
        [
            "links that lead nowhere",
            {
                links: [
                    { a: "a", b: "a" },
                    { a: "a", b: "x" },
                    { a: "x", b: "a" },
                ],
            },
            { a: [], b: [], c: [] },
        ],
    ])("in %s", (_, topology, expected) => {
        expect(linkedPairs(names, topology)).toEqual(expected);
        expect(Object.keys(linkedPairs(names, topology))).toEqual(["a", "b", "c"]);
    });
});
