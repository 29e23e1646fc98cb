import { clusterList, inFormOf } from "../../../provider/mesh/args/cluster-forms";
import { kubeconfigText } from "../../../provider/mesh/args/kubeconfig-text";
import { parseMesh, validateMesh } from "../../../provider/mesh/args/validate";
import { a, b, found, mesh } from "./arguments";

const asMap = (more: object = {}, first: object = {}) => {
    const clusters = { a: { podCIDRs: ["10.1.0.0/16"], ...first }, b: { podCIDRs: ["10.2.0.0/16"] } };
    return { mesh: "m", clusters, ...more };
};

describe("clusters as a map by name", () => {
    test("are the same as a list, and go back to the form they came in", () => {
        const { clusters } = asMap();
        expect(clusterList<{ name: string }>(clusters)).toEqual([a(), b()]);
        expect(clusterList([a(), b()])).toEqual([a(), b()]);
        expect(inFormOf(clusters, [a(), b()])).toEqual(clusters);
        expect(inFormOf([], [a(), b()])).toEqual([a(), b()]);
    });

    test("have no field for the name, and none is suggested there", () => {
        const fix = (first: object) => validateMesh(asMap({}, first)).map((issue) => issue.fix);
        expect(found(asMap({}, { name: "a" }))).toEqual(["ArgumentUnknown clusters.a.name"]);
        expect(fix({ nam: "a" })).toEqual(["Did you mean nat?"]);
        expect(fix({ somethingElse: 1 })[0]).toMatch(/^Remove it; the fields are kubeconfig, context, /);
    });

    test("a secret in one has a name", () => {
        const kubeconfigSecret = { cluster: "b", namespace: "n", name: "n", key: "k", nam: "n" };
        expect(validateMesh(asMap({}, { kubeconfigSecret }))).toMatchObject([
            { path: "clusters.a.kubeconfigSecret.nam", fix: "Did you mean name?" },
        ]);
    });

    test("are named in findings, and nothing else is", () => {
        expect(found(asMap({ mesh: 7, topology: { hubs: [7] } }, { nat: 7 }))).toEqual([
            "ArgumentInvalid clusters.a.nat",
            "ArgumentInvalid mesh",
            "ArgumentInvalid topology.hubs[0]",
        ]);
    });
});

describe("a kubeconfig", () => {
    const object = { clusters: [null], contexts: [{ name: "x" }] };

    test("that is an object is kept as its text, and a text as it is", () => {
        expect(kubeconfigText(object)).toBe('{"clusters":[null],"contexts":[{"name":"x"}]}');
        expect(kubeconfigText("/hub.yaml")).toBe("/hub.yaml");
        expect(kubeconfigText(null as never)).toBeNull();
        const { clusters } = parseMesh(mesh({}, { kubeconfig: object }, { kubeconfig: "/hub.yaml" })).mesh!;
        expect(clusters.map(({ kubeconfig }) => kubeconfig)).toEqual([kubeconfigText(object), "/hub.yaml"]);
    });

    test("that is an object may hold anything where something else is wrong", () => {
        expect(found(mesh({ adopt: 7 }, { kubeconfig: object }))).toEqual(["ArgumentInvalid adopt"]);
    });
});
