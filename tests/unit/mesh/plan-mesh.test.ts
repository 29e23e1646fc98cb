import type { NodeFacts } from "../../../provider/kilo/types";
import { planFromFacts } from "../../../provider/mesh/plan/plan";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec, PlanInput } from "../../../provider/mesh/types";
import { codes, key, node, peersIn, plan, source, target } from "./fixtures";

const EMPTY = {
    peers: {},
    skipped: [],
    capacity: { peersPerTarget: {}, objects: 0, wireguardPeersPerNode: {}, configBytesPerNode: {} },
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
                code: "ArgumentInvalid",
                severity: "error",
                path: "",
                message: "the arguments cannot be read: looking at them throws",
                fix: "pass plain objects, lists, strings and numbers",
            },
        ]);
        expect(rest).toEqual(EMPTY);
        expect(codes(planMesh({ mesh: "m", clusters: [hostile as ClusterSpec], nodes: {} }))).toEqual([
            "error ArgumentInvalid ",
        ]);
    });

    test("the claim's message says which", () => {
        const { issues } = planMesh({ mesh: "m", clusters: [source(), target()], nodes: {}, claims: { dst: "a b" } });
        expect(issues[0]).toMatchObject({
            message: 'the claim "a b" of "dst" cannot be a label',
            fix: "pass the claim as the member was given it",
        });
    });

    test("from facts, networks are checked too", () => {
        const planned = planFromFacts({
            mesh: "m",
            clusters: [source({ podCIDRs: ["junk"] }), target({ serviceCIDR: "10.2.0.0/24" })],
            facts: {},
        });
        expect(codes(planned)).toEqual([
            "error CidrInvalid clusters[0].podCIDRs[0]",
            "error CidrOverlap clusters[1].serviceCIDR",
        ]);
        expect(planned.peers).toEqual({});
        expect(planned.adopted).toEqual({});
    });
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
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1"]);
        expect(planned.issues).toEqual([
            {
                code: "NodeFactsKept",
                severity: "info",
                path: "src",
                message: 'Kilo\'s annotations are gone from "n1" of "src": what was last known is used',
                fix: "nothing, if Kilo is being restarted there; otherwise look why it does not run on them",
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
                message: '"src" lists no nodes any more: its last known ones ("n1", "n2") are kept',
                fix: "set allowEmpty: true on the cluster if it is meant to be empty",
            },
        ]);
        const meant = plan([], { lastKnown, src: { allowEmpty: true } });
        expect(peersIn(meant)).toEqual({});
        expect(meant.issues).toEqual([]);
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
                fix: "name it in topology.links or topology.hubs, or remove it",
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
                fix: "link them through a hub that has public endpoints, or set nat: false where an endpoint can be reached",
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
