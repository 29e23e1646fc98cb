import { crossMeshIssues } from "../../../provider/mesh/args/cross-mesh";
import { parseMesh, validateMesh } from "../../../provider/mesh/args/validate";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { a, b, found, mesh } from "./arguments";
import messages from "./golden/validate-messages.json";

const everything = {
    mesh: "m",
    clusters: [
        {
            name: "a",
            kubeconfig: "secret-content",
            context: "admin",
            podCIDRs: ["10.1.0.0/16", "fd00:1::/48"],
            wireguardCIDR: "10.4.0.0/24",
            serviceCIDR: "10.96.0.0/16",
            additionalCIDRs: ["192.168.1.0/24"],
            nodeCIDRs: ["192.168.2.0/24"],
            acceptedNetworks: ["10.2.0.0/16"],
            nodeSelector: { pool: "mesh" },
            wireguardPort: 51821,
            persistentKeepalive: 25,
            nat: false,
            discoveredEndpoints: false,
            allowEmpty: true,
        },
        { name: "b", local: true, allowedNetworks: ["10.2.0.0/16"] },
        {
            name: "c",
            kubeconfigSecret: { cluster: "a", namespace: "ns", name: "n", key: "value" },
            podCIDRs: ["10.3.0.0/16"],
        },
    ],
    topology: { hubs: ["a"], links: [{ a: "b", b: "c" }] },
    onUnreachable: "fail",
    deleteUnreachable: true,
    adopt: true,
    requestTimeout: 2.5,
    peerWarning: 10,
};

test("arguments that use every field are taken as they are", () => {
    expect(parseMesh(everything, { requireAccess: true })).toEqual({ mesh: everything, issues: [] });
});

test("fields that are undefined are left out", () => {
    const { mesh: parsed } = parseMesh(mesh({ topology: undefined }, { nat: undefined }));
    expect(parsed).toStrictEqual({ mesh: "m", clusters: [a(), b()] });
});

describe("names", () => {
    test.each(["", "A", "a.b", "-a", "a-", "a_b", "x".repeat(64)])("%j is no name", (name) => {
        expect(found({ mesh: name, clusters: [a(), b()] })).toEqual(["NameInvalid mesh"]);
        expect(found(mesh({}, { name }))).toEqual(["NameInvalid clusters[0].name"]);
    });

    test("are unique", () => {
        expect(found(mesh({}, {}, { name: "a" }))).toEqual(["NameDuplicate clusters[1].name"]);
    });
});

test("a mesh has two clusters or more; a plan may have one", () => {
    expect(found({ mesh: "m", clusters: [] })).toEqual(["TooFewClusters clusters"]);
    expect(found({ mesh: "m", clusters: [a()] })).toEqual(["TooFewClusters clusters"]);
    expect(found({ mesh: "m", clusters: [a()] }, { allowSingle: true })).toEqual([]);
    expect(found({ mesh: "m", clusters: [] }, { allowSingle: true })).toEqual(["TooFewClusters clusters"]);
});

describe("networks", () => {
    test.each<[string, object, readonly string[]]>([
        ["both forms", { allowedNetworks: ["10.9.0.0/16"] }, ["NetworksAmbiguous clusters[0].allowedNetworks"]],
        [
            "the flat form and a typed field",
            { podCIDRs: undefined, nodeCIDRs: ["10.8.0.0/16"], allowedNetworks: ["10.9.0.0/16"] },
            ["NetworksAmbiguous clusters[0].allowedNetworks"],
        ],
        ["neither form", { podCIDRs: undefined }, ["NetworksMissing clusters[0].podCIDRs"]],
        [
            "other networks only",
            { podCIDRs: undefined, serviceCIDR: "10.9.0.0/16" },
            ["NetworksMissing clusters[0].podCIDRs"],
        ],
        ["an empty list", { podCIDRs: [] }, ["NetworksMissing clusters[0].podCIDRs"]],
        [
            "an empty flat list",
            { podCIDRs: undefined, allowedNetworks: [] },
            ["NetworksMissing clusters[0].allowedNetworks"],
        ],
        ["an unreadable one", { wireguardCIDR: "x" }, ["CidrInvalid clusters[0].wireguardCIDR"]],
        ["host bits", { serviceCIDR: "10.9.0.1/16" }, ["CidrHostBits clusters[0].serviceCIDR"]],
        [
            "a default route",
            { additionalCIDRs: ["10.9.0.0/16", "0.0.0.0/0"] },
            ["CidrDefaultRoute clusters[0].additionalCIDRs[1]"],
        ],
        [
            "an unreadable accepted one",
            { acceptedNetworks: ["10.9.0.0/16", "x"] },
            ["CidrInvalid clusters[0].acceptedNetworks[1]"],
        ],
        ["overlap with another cluster", { nodeCIDRs: ["10.2.5.0/24"] }, ["CidrOverlap clusters[1].podCIDRs[0]"]],
        ["overlap within the cluster", { serviceCIDR: "10.1.5.0/24" }, ["CidrOverlap clusters[0].serviceCIDR"]],
        ["the same twice", { podCIDRs: ["10.1.0.0/16", "10.1.0.0/16"] }, ["CidrOverlap clusters[0].podCIDRs[1]"]],
        [
            "a range around two",
            { additionalCIDRs: ["10.0.0.0/8"] },
            ["CidrOverlap clusters[0].additionalCIDRs[0]", "CidrOverlap clusters[1].podCIDRs[0]"],
        ],
    ])("%s is a finding", (_, cluster, expected) => {
        expect(found(mesh({}, cluster))).toEqual(expected);
    });

    test("accepted networks may overlap anything: they are the others'", () => {
        expect(found(mesh({}, { acceptedNetworks: ["10.2.0.0/16", "10.2.0.0/24"] }))).toEqual([]);
    });

    test("thousands of overlaps are counted, not listed", () => {
        const podCIDRs = Array.from({ length: 200 }, () => "10.1.0.0/16");
        const issues = validateMesh(mesh({}, { podCIDRs }));
        expect(issues).toHaveLength(101);
        expect(issues[0]).toMatchObject({ path: "clusters", message: "19800 further overlaps not listed" });
    });

    test("of exactly as many as are listed none is counted", () => {
        const podCIDRs = Array.from({ length: 101 }, (_, i) => (i === 0 ? "10.1.0.0/16" : `10.1.${i}.0/24`));
        const issues = validateMesh(mesh({}, { podCIDRs }));
        expect(issues).toHaveLength(100);
        expect(issues.every(({ path }) => path.startsWith("clusters[0].podCIDRs["))).toBe(true);
    });
});

describe("references", () => {
    test.each<[string, object, object, readonly string[]]>([
        ["an unknown hub", { topology: { hubs: ["a", "x"] } }, {}, ["ReferenceUnknown topology.hubs[1]"]],
        [
            "an unknown link",
            { topology: { links: [{ a: "x", b: "y" }] } },
            {},
            ["ReferenceUnknown topology.links[0].a", "ReferenceUnknown topology.links[0].b"],
        ],
        ["a link with itself", { topology: { links: [{ a: "a", b: "a" }] } }, {}, ["LinkToSelf topology.links[0]"]],
        ["no hubs", { topology: { hubs: [] } }, {}, ["TopologyEmpty topology.hubs"]],
        ["no links", { topology: { links: [] } }, {}, ["TopologyEmpty topology.links"]],
        [
            "an unknown secret",
            {},
            { kubeconfigSecret: { cluster: "x", namespace: "n", name: "n", key: "k" } },
            ["ReferenceUnknown clusters[0].kubeconfigSecret.cluster"],
        ],
        [
            "a secret in the cluster itself",
            {},
            { kubeconfigSecret: { cluster: "a", namespace: "n", name: "n", key: "k" } },
            ["SecretCycle clusters[0].kubeconfigSecret.cluster"],
        ],
    ])("%s is a finding", (_, args, cluster, expected) => {
        expect(found(mesh(args, cluster))).toEqual(expected);
    });

    test("an empty list beside a full one is fine, and so is no list at all", () => {
        expect(found(mesh({ topology: { hubs: ["a"], links: [] } }))).toEqual([]);
        expect(found(mesh({ topology: { hubs: [], links: [{ a: "a", b: "b" }] } }))).toEqual([]);
        expect(found(mesh({ topology: {} }))).toEqual([]);
    });

    test("secrets that lead in a circle are found at each cluster of it, and only there", () => {
        const secret = (cluster: string) => ({ kubeconfigSecret: { cluster, namespace: "n", name: "n", key: "k" } });
        const clusters = ["a", "b", "c", "d"].map((name, i) => ({ name, podCIDRs: [`10.${i}.0.0/16`] }));
        const links = ["b", "c", "b", undefined].map((next) => (next === undefined ? { local: true } : secret(next)));
        expect(found({ mesh: "m", clusters: clusters.map((cluster, i) => ({ ...cluster, ...links[i] })) })).toEqual([
            "SecretCycle clusters[1].kubeconfigSecret.cluster",
            "SecretCycle clusters[2].kubeconfigSecret.cluster",
        ]);
        const chain = ["b", "c", "d", undefined].map((next) => (next === undefined ? { local: true } : secret(next)));
        expect(found({ mesh: "m", clusters: clusters.map((cluster, i) => ({ ...cluster, ...chain[i] })) })).toEqual([]);
    });
});

describe("access", () => {
    const secret = { cluster: "b", namespace: "n", name: "n", key: "k" };

    test.each<[string, object, readonly string[]]>([
        ["none", {}, ["AccessMissing clusters[0]"]],
        ["local: false", { local: false }, ["AccessMissing clusters[0]"]],
        ["a kubeconfig", { kubeconfig: "x" }, []],
        ["local", { local: true }, []],
        ["a secret", { kubeconfigSecret: secret }, []],
        ["a kubeconfig and local: false", { kubeconfig: "x", local: false }, []],
        ["two", { kubeconfig: "x", local: true }, ["AccessAmbiguous clusters[0].local"]],
        ["two others", { local: true, kubeconfigSecret: secret }, ["AccessAmbiguous clusters[0].kubeconfigSecret"]],
    ])("%s", (_, cluster, expected) => {
        expect(found(mesh({}, cluster, { local: true }), { requireAccess: true })).toEqual(expected);
    });

    test("none is asked for where nothing is contacted, but two are still too many", () => {
        expect(found(mesh())).toEqual([]);
        expect(found(mesh({}, { kubeconfig: "x", local: true }))).toEqual(["AccessAmbiguous clusters[0].local"]);
    });
});

describe("what is not known yet", () => {
    const partial = { partial: true, requireAccess: true };

    test("is not reported as missing", () => {
        expect(found({ mesh: "m", clusters: [{ name: "a" }, { name: "b", podCIDRs: undefined }] }, partial)).toEqual(
            [],
        );
        expect(found(mesh({ adopt: undefined }, { podCIDRs: ["10.1.0.0/16", undefined] }), partial)).toEqual([]);
    });

    test("does not hide what is known to be wrong", () => {
        const clusters = [
            { name: "a", podCIDRs: [undefined, "10.1.0.1/16"], allowedNetworks: undefined },
            { name: "a", podCIDRs: [], wireguardPort: 0 },
        ];
        expect(found({ mesh: "m", clusters }, partial)).toEqual([
            "CidrHostBits clusters[0].podCIDRs[1]",
            "NameDuplicate clusters[1].name",
            "NetworksMissing clusters[1].podCIDRs",
            "ArgumentInvalid clusters[1].wireguardPort",
        ]);
    });

    test("is an error where everything should be known", () => {
        expect(found(mesh({}, { podCIDRs: ["10.1.0.0/16", undefined] }))).toEqual([
            "ArgumentInvalid clusters[0].podCIDRs[1]",
        ]);
    });
});

test("every finding says what is wrong and what to do next", () => {
    const secret = (cluster: string) => ({ kubeconfigSecret: { cluster, namespace: "n", name: "n", key: "k" } });
    const catalogue: readonly unknown[] = [
        undefined,
        { mesh: "M", clusters: [] },
        mesh({ onUnreachable: 1, requestTimeout: 0, peerWarning: 0, topology: 1, adopt: 1, deleteUnreachable: "" }),
        mesh({ topology: { hubs: 1, links: 1 } }),
        mesh({ topology: { hubs: [1], links: [1] } }),
        mesh({ topology: { hubs: ["x"], links: [{ a: "a", b: "a" }] } }),
        mesh({ topology: { hubs: [] } }),
        mesh({ toplogy: 1, zzz: 1 }, { zzz: 1 }),
        mesh(
            {},
            {
                name: 1,
                kubeconfig: 1,
                context: "",
                local: 1,
                kubeconfigSecret: 1,
                podCIDRs: 1,
                wireguardCIDR: 1,
                nodeSelector: 1,
                wireguardPort: 0,
                persistentKeepalive: -1,
            },
        ),
        mesh(
            {},
            {
                podCIDRs: [1],
                nodeSelector: { a: 1 },
                kubeconfigSecret: { cluster: "", namespace: 1, name: "n", key: "k" },
            },
        ),
        mesh(
            {},
            { name: "x y", podCIDRs: ["10.1.0.1/16", "::/0", "z", "::ffff:1.2.3.4/128", "fe80::%1/64"] },
            { name: "x y" },
        ),
        mesh({}, { podCIDRs: undefined }, { podCIDRs: undefined, serviceCIDR: "10.9.0.0/16" }),
        mesh(
            {},
            { allowedNetworks: ["10.7.0.0/16"] },
            { serviceCIDR: "10.5.0.0/16", allowedNetworks: ["10.6.0.0/16"] },
        ),
        mesh({}, { serviceCIDR: "10.2.0.0/24", local: true, kubeconfig: "x" }),
        mesh({}, secret("b"), secret("a")),
        mesh({}, secret("x")),
    ];
    expect(catalogue.map((args) => validateMesh(args, { requireAccess: true }))).toEqual(messages.validate);
    const two = { mesh: "m", clusters: [a(), b(), { name: "c", podCIDRs: ["10.1.4.0/24"] }] as ClusterSpec[] };
    expect(crossMeshIssues([{ mesh: "m", clusters: [a(), b()] as ClusterSpec[] }, two])).toEqual(messages.crossMesh);
});

describe("clusters as a map by name", () => {
    const map = (first: object = {}, second: object = {}) => {
        const [{ name: _, ...one }, { name: __, ...two }] = [a(first), b(second)];
        return { mesh: "m", clusters: { a: one, b: two } };
    };

    test("are the same mesh as a list", () => {
        expect(parseMesh(map())).toEqual({ mesh: { ...mesh(), byName: true }, issues: [] });
    });

    test("are named by their keys, wherever something is wrong", () => {
        expect(found(map({ podCIDRs: ["10.1.0.1/16"], nat: 7, zone: 1 }, { podCIDRs: [] }))).toEqual([
            "ArgumentInvalid clusters.a.nat",
            "CidrHostBits clusters.a.podCIDRs[0]",
            "ArgumentUnknown clusters.a.zone",
            "NetworksMissing clusters.b.podCIDRs",
        ]);
        const kubeconfigSecret = { cluster: "c", namespace: "n", name: "n", key: "k" };
        expect(found(map({ kubeconfigSecret }))).toEqual(["ReferenceUnknown clusters.a.kubeconfigSecret.cluster"]);
        expect(found(map({ local: true, kubeconfig: "k" }))).toEqual(["AccessAmbiguous clusters.a.local"]);
        expect(found({ mesh: "m", clusters: { A: a(), "b c": 7 } })).toEqual([
            "NameInvalid clusters.A",
            "ArgumentUnknown clusters.A.name",
            'ArgumentInvalid clusters["b c"]',
        ]);
        expect(found(map(), { requireAccess: true })).toEqual(["AccessMissing clusters.a", "AccessMissing clusters.b"]);
    });

    test("meshes that overlap are named in the form that each was given in", () => {
        const spec = (args: unknown) => parseMesh(args).mesh!;
        const other = { ...mesh({}, { name: "c" }, { name: "d", podCIDRs: ["10.9.0.0/16"] }), mesh: "n" };
        expect(crossMeshIssues([spec(map()), spec(other)]).map(({ message }) => message)).toEqual([
            '10.1.0.0/16 of "c" overlaps 10.1.0.0/16 of "a" (m/clusters.a.podCIDRs[0])',
        ]);
    });
});
