import type { NodeFacts } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec, PlanInput } from "../../../provider/mesh/types";
import { codes, key, node, peersIn, plan, routes, source, target } from "./fixtures";

const EMPTY = {
    peers: {},
    facts: {},
    skipped: [],
    capacity: {
        peersPerTarget: {},
        allPeersPerTarget: {},
        objects: 0,
        wireguardPeersPerNode: {},
        configBytesPerNode: {},
    },
    graph: "flowchart LR\n",
};

describe("bad arguments give issues and no peers", () => {
    test.each<[string, unknown, readonly string[]]>([
        ["nothing", undefined, ["error ArgumentInvalid clusters", "error ArgumentInvalid mesh"]],
        ["null", null, ["error ArgumentInvalid clusters", "error ArgumentInvalid mesh"]],
        ["a text", "x", ["error ArgumentInvalid clusters", "error ArgumentInvalid mesh"]],
        ["no clusters", { mesh: "m", clusters: [], nodes: {} }, ["error TooFewClusters clusters"]],
        [
            "networks that overlap",
            { mesh: "m", clusters: [source(), target({ podCIDRs: ["10.1.0.0/24"] })], nodes: {} },
            ["error CidrOverlap clusters[1].podCIDRs[0]"],
        ],
        ["a name that is none", { mesh: "M", clusters: [source(), target()], nodes: {} }, ["error NameInvalid mesh"]],
        [
            "a claim that cannot be a label",
            { mesh: "m", clusters: [source(), target()], nodes: {}, claims: { dst: "a b", src: 7, x: undefined } },
            ["error ClaimInvalid claims", "error ClaimInvalid claims"],
        ],
        [
            "a warning threshold of 0",
            { mesh: "m", clusters: [source(), target()], nodes: {}, peerWarning: 0 },
            ["error ArgumentInvalid peerWarning"],
        ],
    ])("%s", (_, input, expected) => {
        const { issues, ...rest } = planMesh(input as PlanInput);
        expect(codes({ issues })).toEqual(expected);
        expect(rest).toEqual(EMPTY);
    });

    test("arguments that throw when looked at", () => {
        const boom = (): never => {
            throw new Error("boom");
        };
        const hostile = new Proxy({}, { getOwnPropertyDescriptor: boom, get: boom, ownKeys: boom });
        const { issues, ...rest } = planMesh(hostile as PlanInput);
        expect(issues).toEqual([
            {
                code: "ArgumentUnreadable",
                severity: "error",
                path: "",
                message: "the arguments cannot be read: looking at them throws",
                fix: "Pass plain objects, lists, strings and numbers",
            },
        ]);
        expect(rest).toEqual(EMPTY);
        expect(codes(planMesh({ mesh: "m", clusters: [hostile as ClusterSpec], nodes: {} }))).toEqual([
            "error ArgumentUnreadable ",
        ]);
    });

    test("the claim's message says which", () => {
        const { issues } = planMesh({ mesh: "m", clusters: [source(), target()], nodes: {}, claims: { dst: "a b" } });
        expect(issues[0]).toMatchObject({
            message: 'the claim "a b" of "dst" cannot be a label',
            fix: "Pass the claim as the member has it",
        });
    });
});

test("a plan without claims, clusters of no nodes and a target of no peers is complete", () => {
    const planned = planMesh({ mesh: "m", clusters: [source(), target()], nodes: {} });
    expect(codes(planned)).toEqual([]);
    expect(planned.peers).toEqual({ dst: {}, src: {} });
    expect(planned.facts).toEqual({ dst: [], src: [] });
});

test("a cluster that was seen and never had a node is an issue", () => {
    const planned = planMesh({ mesh: "m", clusters: [source(), target()], nodes: { src: [] } });
    expect(planned.issues).toEqual([
        {
            code: "ClusterNoNodes",
            severity: "warning",
            path: "src",
            message: '"src" has no node that Kilo has set up: it has no peers in the other clusters yet',
            fix: "Wait until Kilo runs there and run `pulumi up` again, or set waitForNodes",
        },
    ]);
    const unannotated = { metadata: { name: "n1" }, spec: { podCIDR: "10.1.1.0/24" } };
    expect(codes(plan([unannotated]))).toContain("warning ClusterNoNodes src");
});

test("clusters as a map by name, in any order, give the plan of the list", () => {
    const [{ name: _, ...src }, { name: __, ...dst }] = [source(), target()];
    const nodes = { src: [node()], dst: [] };
    const asList = planMesh({ mesh: "m", clusters: [source(), target()], nodes });
    expect(Object.keys(peersIn(asList))).toHaveLength(1);
    expect(planMesh({ mesh: "m", clusters: { dst, src }, nodes })).toEqual(asList);
});

test("the mesh id is a label of every peer", () => {
    const planned = plan([node()], { meshId: "id-1" });
    expect(peersIn(planned)["src--n1"]?.labels).toMatchObject({ "kilo-clustermesh.io/mesh-id": "id-1" });
});

describe("bad data costs what has it", () => {
    test.each<[string, Partial<Record<keyof PlanInput, unknown>>]>([
        ["nodes of the wrong type", { nodes: "x" }],
        ["a list of nodes of the wrong type", { nodes: { src: 7, dst: null } }],
        ["nodes of unknown clusters", { nodes: { other: [node()] } }],
        [
            "last known facts of the wrong type",
            { lastKnown: { src: [null, 7, {}, { name: 7 }, { name: "x" }, { name: "y", podCIDRs: [7] }] } },
        ],
        ["a clock of the wrong type", { now: "noon" }],
        ["clocks of the wrong type", { now: { src: "noon", dst: null } }],
        ["a mesh id of the wrong type", { meshId: 7 }],
        ["a mesh id that cannot be a label", { meshId: "a b" }],
        ["addresses of the wrong type", { resolved: { "gw.example": 7 } }],
        ["names of the wrong type", { unresolvable: [7, null] }],
        ["claims of the wrong type", { claims: 7 }],
    ])("%s", (_, more) => {
        const planned = planMesh({ mesh: "m", clusters: [source(), target()], nodes: {}, ...more } as PlanInput);
        expect(planned.peers).toEqual({ dst: {}, src: {} });
        expect(planned.issues.filter(({ severity }) => severity === "error")).toEqual([]);
    });

    test("clusters and nodes with the names of built-in properties are like any other", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source({ name: "constructor" }), target({ name: "valueof" })],
            nodes: { constructor: [node({ name: "constructor" })] } as never,
        });
        expect(Object.keys(planned.peers.valueof!)).toEqual(["m--constructor--constructor"]);
        expect(planned.peers.constructor).toEqual({});
    });
});

describe("what was last known", () => {
    const facts = (name: string, seed: number): NodeFacts => {
        return {
            name,
            podCIDRs: [`10.1.${seed}.0/24`],
            internalIPs: [],
            externalIPs: [],
            key: key(seed),
            wireguardIP: `10.4.0.${seed}/24`,
            granularity: "full",
        };
    };

    test("fills the gap that a restart of Kilo leaves, and says so", () => {
        const bare = node({
            seed: 1,
            annotations: { key: undefined, "wireguard-ip": undefined, granularity: undefined, endpoint: undefined },
        });
        const planned = plan([bare], { lastKnown: { src: [facts("n1", 1), facts("gone", 2)] } });
        expect(routes(planned)).toEqual({ "src--n1": ["10.1.1.0/24", "10.4.0.1/32"] });
        expect(planned.issues).toEqual([
            {
                code: "NodeFactsKept",
                severity: "warning",
                path: "src",
                message:
                    'facts are missing or malformed on 1 node of "src": "n1" (key, granularity, wireguard-ip). What was last known is used',
                fix: "Do nothing if Kilo is being restarted there; otherwise check the annotations and why Kilo does not run on them",
            },
        ]);
    });

    test("stands in for a cluster that lists nothing, unless that is meant", () => {
        const lastKnown = { src: [facts("n2", 2), facts("n1", 1)] };
        const planned = plan([], { lastKnown });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1", "src--n2"]);
        expect(planned.issues).toEqual([
            {
                code: "ClusterEmpty",
                severity: "warning",
                path: "src",
                message: '"src" lists no nodes, though it had some ("n1", "n2"): their peers are kept',
                fix: "Set allowEmpty: true on the cluster if it is meant to be empty",
            },
        ]);
        const meant = plan([], { lastKnown, src: { allowEmpty: true } });
        expect(peersIn(meant)).toEqual({});
        expect(meant.facts.src).toEqual([]);
        expect(codes(meant)).toEqual(["warning ClusterNoNodes src"]);
    });

    test("stands in for a cluster that is not named: it was not seen", () => {
        const lastKnown = { src: [facts("n1", 1)] };
        const planned = planMesh({ mesh: "m", clusters: [source(), target()], nodes: {}, lastKnown });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1"]);
        expect(planned.facts).toEqual({ dst: [], src: lastKnown.src });
        expect(planned.issues).toEqual([]);
    });

    test("of a node without a name is nothing", () => {
        const planned = plan([], { lastKnown: { src: [{ ...facts("n1", 1), name: "" }] } });
        expect(codes(planned)).toEqual(["warning ClusterNoNodes src"]);
        expect(planned.peers.dst).toEqual({});
    });

    test("is what a former call returned as facts: two runs can be replayed", () => {
        const nodes = [node({ seed: 1 }), node({ seed: 2, annotations: { "last-seen": "1" } })];
        const first = plan(nodes, { now: 1000 });
        expect(first.facts.src!.map(({ name }) => name)).toEqual(["n1", "n2"]);
        // what only holds for one run is not in them
        expect(JSON.stringify(first.facts)).not.toMatch(/stale|kept/);
        const silent = planMesh({
            mesh: "m",
            clusters: [source(), target()],
            nodes: {},
            lastKnown: first.facts,
            claims: { dst: "c-dst" },
        });
        expect(silent.peers).toEqual(first.peers);
        expect(silent.facts).toEqual(first.facts);
    });

    test("of odd shapes is read as far as it goes", () => {
        const odd = [
            { name: "n1", podCIDRs: ["10.1.1.0/24", 7], key: key(1), granularity: 7, leader: "yes", stale: true },
            { name: "n1", podCIDRs: ["10.1.9.0/24"] },
            "n2",
        ];
        const planned = planMesh({
            mesh: "m",
            clusters: [source(), target()],
            nodes: {},
            lastKnown: { src: odd as never },
        });
        expect(planned.facts.src).toEqual([
            { name: "n1", podCIDRs: ["10.1.1.0/24"], internalIPs: [], externalIPs: [], key: key(1) },
        ]);
    });
});

describe("links", () => {
    const clusters = ["a", "b", "c"].map((name, i) => ({ name, podCIDRs: [`10.${i}.0.0/16`] }));
    const planned = (more: Partial<PlanInput> = {}, specs: readonly Partial<ClusterSpec>[] = []) =>
        planMesh({
            mesh: "m",
            clusters: clusters.map((cluster, i) => ({ ...cluster, ...specs[i] })),
            nodes: {},
            ...more,
        });

    test("a cluster without any is a warning", () => {
        expect(planned({ topology: { links: [{ a: "a", b: "b" }] } }).issues).toEqual([
            {
                code: "ClusterUnlinked",
                severity: "warning",
                path: "c",
                message: '"c" is linked with no other cluster',
                fix: "Name it in topology.links or topology.hubs, or remove it",
            },
        ]);
    });

    test("a single cluster is a warning too, and no peer", () => {
        expect(codes(planMesh({ mesh: "m", clusters: [clusters[0]!], nodes: {} }))).toEqual([
            "warning ClusterUnlinked a",
        ]);
    });

    test("clusters behind NAT that are linked with each other are a warning", () => {
        expect(planned({}, [{ nat: true }, { nat: true }, {}]).issues).toEqual([
            {
                code: "NatToNat",
                severity: "warning",
                path: "a",
                message: '"a" and "b" are all behind NAT: no tunnel between them can open',
                fix: "Link them through a hub that has public endpoints, or set nat: false where an endpoint can be reached",
            },
            expect.objectContaining({ code: "NatToNat", path: "b" }),
        ]);
        expect(planned({ topology: { hubs: ["c"] } }, [{ nat: true }, { nat: true }, {}]).issues).toEqual([]);
    });

    test("peers go where they lead, and nowhere else", () => {
        const nodes = Object.fromEntries(
            clusters.map(({ name }, i) => [name, [node({ name: `n-${name}`, seed: i + 1, pods: [`10.${i}.1.0/24`] })]]),
        );
        const found = planned({ topology: { hubs: ["b"] }, nodes });
        expect(
            Object.fromEntries(Object.entries(found.peers).map(([name, peers]) => [name, Object.keys(peers)])),
        ).toEqual({
            a: ["m--b--n-b"],
            b: ["m--a--n-a", "m--c--n-c"],
            c: ["m--b--n-b"],
        });
    });
});
