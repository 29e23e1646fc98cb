import { pathText } from "../../../provider/mesh/args/argument-path";
import { readDeclared } from "../../../provider/mesh/args/declared-networks";
import { nearestName } from "../../../provider/mesh/args/schema";
import { parseMesh, validateMesh } from "../../../provider/mesh/args/validate";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { source, target } from "./fixtures";

describe("arguments", () => {
    const said = (cluster: object) =>
        validateMesh({ mesh: "m", clusters: [cluster, target()] }).map(({ message }) => message);

    test("of a cluster without a name are told by showing none", () => {
        expect(said({ podCIDRs: [] })).toContain('"" declares no pod network');
        expect(said({ podCIDRs: ["10.1.0.0/16"], kubeconfig: "x", local: true })).toContain(
            'kubeconfig and local are both given for ""',
        );
        expect(said({ podCIDRs: ["10.2.0.0/24"] })).toContain(
            '10.2.0.0/16 of "dst" overlaps 10.2.0.0/24 of "" (clusters[0].podCIDRs[0])',
        );
    });

    test("of a cluster that only keeps ranges free name no others", () => {
        expect(said({ name: "src", podCIDRs: [], reserved: ["10.1.0.0/16"] })).toEqual([
            '"src" declares no pod network',
        ]);
        expect(said({ name: "src", podCIDRs: [], serviceCIDR: "10.1.0.0/16" })).toEqual([
            '"src" declares no pod network, only others',
        ]);
    });

    test("that name no cluster are met with the clusters that have a name", () => {
        const args = { mesh: "m", clusters: [source(), { podCIDRs: ["10.9.0.0/16"] }], topology: { hubs: ["x"] } };
        const unknown = validateMesh(args).filter(({ code }) => code === "ReferenceUnknown");
        expect(unknown.map(({ fix }) => fix)).toEqual(['Name one of "src"']);
    });

    test("that are no network are named by their place, and the others are accepted", () => {
        const { accepted, issues } = readDeclared([{ name: "a", acceptedNetworks: ["junk", "10.0.0.0/8"] }]);
        expect(issues.map(({ path }) => path)).toEqual(["clusters[0].acceptedNetworks[0]"]);
        expect(accepted.map((list) => list?.map(({ text }) => text))).toEqual([["10.0.0.0/8"]]);
    });

    test("are quoted where only the end of a field looks like a name", () => {
        expect(pathText(["clusters", 0, "a b"])).toBe('clusters[0]["a b"]');
    });

    test.each<[string, readonly string[], string | undefined]>([
        ["abc", ["abd", "abc"], "abc"],
        ["ad", ["ab", "ac"], "ab"],
        ["ado", ["adopt"], "adopt"],
        ["ad", ["adopt"], undefined],
        ["persistentKeep", ["persistentKeepalive"], "persistentKeepalive"],
        ["persistent", ["persistentKeepalive"], undefined],
    ])("%s is taken for the nearest of %j, if it can be a slip", (name, known, nearest) => {
        expect(nearestName(name, known)).toBe(nearest);
    });

    const clusters = (n: number) =>
        Array.from({ length: n }, (_, i) => ({ name: `c${i}`, podCIDRs: [`10.${i}.0.1/16`] }));

    test("findings are in the order of the arguments, numbers by value", () => {
        const paths = validateMesh({ mesh: "m", clusters: clusters(12) }).map(({ path }) => path);
        expect(paths).toEqual(clusters(12).map((_, i) => `clusters[${i}].podCIDRs[0]`));
    });

    test("what is wrong gives findings and no mesh", () => {
        expect(parseMesh({ mesh: "m", clusters: clusters(2) })).toEqual({
            issues: [expect.anything(), expect.anything()],
        });
    });

    test("what throws when it is looked at is told so", () => {
        const boom = (): never => {
            throw new Error("boom");
        };
        expect(validateMesh(new Proxy({}, { get: boom, ownKeys: boom }))).toEqual([
            {
                code: "ArgumentUnreadable",
                severity: "error",
                path: "",
                message: "the arguments cannot be read: looking at them throws",
                fix: "Pass plain objects, lists, strings and numbers",
            },
        ]);
    });

    test("a cluster that is not known yet is no finding", () => {
        expect(
            validateMesh({ mesh: "m", clusters: [undefined, ...clusters(1)] }, { partial: true }).map(
                ({ path }) => path,
            ),
        ).toEqual(["clusters[1].podCIDRs[0]"]);
    });

    test("either policy is one", () => {
        const given = (onUnreachable: string) =>
            validateMesh({ mesh: "m", clusters: [source(), target()], onUnreachable });
        expect([...given("skip"), ...given("fail")]).toEqual([]);
    });

    test.each<[string, object, object, string]>([
        [
            "a port that is a text",
            {},
            { wireguardPort: "x" },
            "clusters[0].wireguardPort must be a whole number from 1 to 65535",
        ],
        ...["x", 0, 3601].map((requestTimeout): [string, object, object, string] => [
            `a timeout of ${requestTimeout}`,
            { requestTimeout },
            {},
            "requestTimeout must be a number of seconds above 0 and up to 3600",
        ]),
    ])("%s is told what it must be", (_, more, cluster, message) => {
        const given = { mesh: "m", clusters: [{ ...source(), ...cluster }, target()], ...more };
        expect(validateMesh(given).map((found) => found.message)).toEqual([message]);
    });

    test("clusters that are none are told what they must be", () => {
        const said = (value: unknown) => validateMesh({ mesh: "m", clusters: value }).map(({ message }) => message);
        expect(said(7)).toEqual(["clusters must be a list of clusters, or a map of them by name"]);
        expect(said([source(), 7, target()])).toEqual(["clusters[1] must be an object that describes a cluster"]);
    });

    test("unknown parts of secrets and links are met with the parts there are", () => {
        const secret = { cluster: "dst", namespace: "n", name: "n", key: "k", zzzzzzzz: 1 };
        const fixes = (args: object) => validateMesh({ mesh: "m", ...args }).map(({ fix }) => fix);
        expect(fixes({ clusters: [source({ kubeconfigSecret: secret }), target()] })).toEqual([
            "Remove it; the fields are cluster, namespace, name, key",
        ]);
        const links = [{ a: "src", b: "dst", zzzzzzzz: 1 }];
        expect(fixes({ clusters: [source(), target()], topology: { links } })).toEqual([
            "Remove it; the fields are a, b",
        ]);
    });

    test("a wrong value in one cluster does not hide what is missing in another", () => {
        const bare = { name: "bare" } as ClusterSpec;
        expect(validateMesh({ mesh: "m", adopt: 7, clusters: [bare, target()] }).map(({ code }) => code)).toEqual([
            "ArgumentInvalid",
            "NetworksMissing",
        ]);
        expect(
            validateMesh({ mesh: "m", clusters: [bare, target({ nat: "x" as never })] }).map(({ code }) => code),
        ).toEqual(["NetworksMissing", "ArgumentInvalid"]);
    });

    test("overlaps that are not listed are an error of their own", () => {
        const podCIDRs = Array.from({ length: 20 }, () => "10.1.0.0/16");
        expect(validateMesh({ mesh: "m", clusters: [source({ podCIDRs }), target()] })[0]).toEqual({
            code: "CidrOverlapsUnlisted",
            severity: "error",
            path: "clusters",
            message: "90 further overlaps not listed",
            fix: "Fix those that are listed and run again",
        });
    });
});
