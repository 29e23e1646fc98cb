import { hasErrors, ISSUE_CODES, issue, sortIssues } from "../../../provider/mesh/report/findings";
import type { Issue, Severity } from "../../../provider/mesh/types";
import { codes, node, plan } from "./fixtures";

const found = (severity: Severity, path = "", message = "m"): Issue => ({
    code: "NodeStale",
    severity,
    path,
    message,
    fix: "f",
});

test("findings that are warnings stop nothing", () => {
    expect(hasErrors([])).toBe(false);
    expect(hasErrors([found("warning"), found("info")])).toBe(false);
    expect(hasErrors([found("warning"), found("error")])).toBe(true);
});

test("findings are in the order of their paths, numbers by value, then of code and message", () => {
    const given = [
        found("error", "clusters[10]"),
        found("error", "clusters[2]", "z"),
        found("error", "clusters[2]", "a"),
        { ...found("error", "clusters[2]"), code: "CidrOverlap" } as const,
        found("error", ""),
    ];
    const sorted = sortIssues(given).map(({ path, code, message }) => `${path} ${code} ${message}`);
    expect(sorted).toEqual([
        " NodeStale m",
        "clusters[2] CidrOverlap m",
        "clusters[2] NodeStale a",
        "clusters[2] NodeStale z",
        "clusters[10] NodeStale m",
    ]);
    expect(sortIssues([...given].reverse())).toEqual(sortIssues(given));
});

test("every code is listed once, in order", () => {
    expect(ISSUE_CODES).toEqual([...new Set(ISSUE_CODES)].sort());
    expect(ISSUE_CODES).toContain("CidrOverlap");
    expect(ISSUE_CODES).toContain("PeerHeld");
});

test("about a node that is skipped everywhere a finding names no target", () => {
    expect(plan([node({ pods: [] })]).skipped[0]).toStrictEqual({
        cluster: "src",
        node: "n1",
        reason: "NodeNoPodCIDR",
        message: "it has no pod CIDR yet",
    });
});

describe("how well a cluster is known", () => {
    const CLUSTER = { cluster: "c", reason: "cluster c: it does not answer", since: "since 2026-01-02T03:04:05Z" };
    const kept = "Its last known nodes keep their peers, and its own peers stay as they are";

    test("silence is a warning that needs nobody", () => {
        expect(issue("ClusterSilent", { ...CLUSTER, fix: "Start the API server" })).toEqual({
            code: "ClusterSilent",
            severity: "warning",
            path: "c",
            message: `cluster c: it does not answer (since 2026-01-02T03:04:05Z). ${kept}`,
            fix: "Start the API server. The next `pulumi up` tries again",
        });
    });

    test("one that cannot be used is an error with its own fix", () => {
        expect(issue("ClusterUnusable", { ...CLUSTER, fix: "Correct its kubeconfig" })).toMatchObject({
            severity: "error",
            message: expect.stringContaining(kept),
            fix: "Correct its kubeconfig",
        });
    });
});

test.each<[Issue, string, string]>([
    [
        issue("ChildUrnDuplicate", { path: "mesh", other: "edge", child: "edge-hub" }),
        'this mesh and "edge" would both have a child named "edge-hub", and Pulumi allows it once',
        "Rename one of the meshes or clusters: a child is named after both, joined by a hyphen",
    ],
    [
        issue("KeyInTwoMeshes", { path: "mesh", others: ["edge"], targets: ["a", "b"] }),
        'this mesh and "edge" would write the same keys into "a", "b", and Kilo keeps one peer per key',
        "Join each pair of nodes in one mesh only: take the clusters out of one of them, or select disjoint nodes",
    ],
    [
        issue("LeaderExcluded", { cluster: "c", location: "eu", leader: "n1", nodes: ["n2"], next: undefined }),
        'excludeNodes has "n1", which leads location "eu" of "c": its key is not used, so "n2" there cannot be reached until Kilo lets another node lead',
        'Remove "n1" from its cluster; then run `pulumi up` again',
    ],
    [
        issue("LeaderMoved", { cluster: "c", location: "eu", from: "n1", to: "n2" }),
        'leader of location "eu" of "c": "n1" → "n2"',
        "Do nothing: the peer of the location follows the leader that Kilo chooses",
    ],
    [
        issue("PeerHeld", { cluster: "c", node: "n1", target: "t", peer: "p", why: "it has no key" }),
        'p in "t" keeps what it has, because of "n1": it has no key',
        "Correct the node; its peer follows with the next `pulumi up`",
    ],
    [
        issue("SelectorEmpty", { cluster: "c" }),
        'nodeSelector, excludeNodes and opt-outs leave no node of "c"',
        "Correct nodeSelector or excludeNodes, or label the nodes that should be meshed",
    ],
    [
        issue("SourceKept", { cluster: "c", target: "t", peers: ["p", "q"] }),
        '2 peers of "c" in "t" ("p", "q") kept as found: nothing is known of their nodes',
        "Do nothing: they are judged as soon as the cluster answers",
    ],
])("$code says what was found and what to do", ({ message, fix }, expected, todo) => {
    expect({ message, fix }).toEqual({ message: expected, fix: todo });
});

describe("findings about nodes", () => {
    test("only nodes that are carried are stale, or of unknown granularity", () => {
        const bad = { pods: [], annotations: { "last-seen": "1", granularity: undefined } };
        expect(plan([node(bad)], { now: 1000 }).issues).toEqual([]);
        expect(plan([node({ annotations: { granularity: undefined } })]).issues).toEqual([
            {
                code: "GranularityUnknown",
                severity: "info",
                path: "src",
                message: '1 node of "src" ("n1") without a known kilo.squat.ai/granularity: one peer per node',
                fix: "Do nothing if Kilo runs there with full granularity; otherwise check why it did not annotate them",
            },
        ]);
    });

    test("a stale node keeps its peer, with a warning", () => {
        const planned = plan(
            [node({ annotations: { "last-seen": "1" } }), node({ seed: 2, annotations: { "last-seen": "990" } })],
            { now: 1000 },
        );
        expect(Object.keys(planned.peers.dst!)).toEqual(["m--src--n1", "m--src--n2"]);
        expect(planned.issues).toEqual([
            {
                code: "NodeStale",
                severity: "warning",
                path: "src",
                message: '1 node of "src" ("n1") not seen by Kilo for a minute or more; their peers are kept',
                fix: "Check the Kilo pods there; if every node is listed, compare the clocks of the nodes and the API server",
            },
        ]);
    });

    test("each cluster has its own clock", () => {
        const seen = [node({ annotations: { "last-seen": "1000" } })];
        expect(codes(plan(seen, { now: { src: 1010, dst: 9999 } }))).toEqual([]);
        expect(codes(plan(seen, { now: { src: 1060 } }))).toEqual(["warning NodeStale src"]);
        expect(codes(plan(seen, { now: { dst: 1060 } }))).toEqual([]);
    });

    test("a clock that says nothing makes nothing stale", () => {
        const seen = [node({ annotations: { "last-seen": "1" } })];
        expect(codes(plan(seen, { now: Number.POSITIVE_INFINITY }))).toEqual([]);
        expect(codes(plan(seen, { now: Number.NaN }))).toEqual([]);
        expect(codes(plan(seen, { now: { src: "noon" } as never }))).toEqual([]);
    });

    test("behind NAT, nodes that do not dial are named", () => {
        const dials = node({ seed: 1, annotations: { "persistent-keepalive": "25" } });
        expect(plan([dials, node({ seed: 2 })], { src: { nat: true } }).issues).toEqual([
            {
                code: "NatWithoutKeepalive",
                severity: "warning",
                path: "src",
                message: '"src" is behind NAT, but 1 node ("n2") will not dial: no tunnel to them opens by itself',
                fix: "Annotate its nodes with kilo.squat.ai/persistent-keepalive=25",
            },
        ]);
        expect(plan([dials], { src: { nat: true } }).issues).toEqual([]);
    });
});
