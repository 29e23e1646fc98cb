import { planMesh } from "../../../provider/mesh/plan-mesh";
import { codes, key, located, node, peersIn, plan, reasons, saidBy, source, target } from "./fixtures";

const src = { nodeSelector: { pool: "mesh" } };
const labels = { pool: "mesh" };

test("a node that the selector leaves out is neither planned nor reported", () => {
    const planned = plan([node(), node({ seed: 2, labels })], { src });
    expect(Object.keys(peersIn(planned))).toEqual(["src--n2"]);
    expect(planned.skipped).toEqual([]);
    expect(planned.issues).toEqual([]);
});

test("a node that the selector leaves out is not reported for its pods", () => {
    const astray = [node({ seed: 1, pods: [] }), node({ seed: 2, pods: ["172.16.0.0/24"] })];
    expect(plan(astray, { src: { nodeSelector: { role: "none" } } }).skipped).toEqual([]);
});

test("what the selector leaves out holds neither pods nor keys against what it wants", () => {
    const twins = plan([node({ seed: 1, pods: ["10.1.2.0/24"] }), node({ seed: 2, labels })], { src });
    expect(Object.keys(peersIn(twins))).toEqual(["src--n2"]);
    const sharing = plan(
        [
            located({ name: "a", seed: 1, annotations: { key: key(2) } }),
            located({ seed: 2, labels, annotations: { leader: "" } }),
        ],
        { src },
    );
    expect(peersIn(sharing)["src--location-eu"]?.spec.publicKey).toBe(key(2));
    expect(sharing.skipped).toEqual([]);
});

test("a location that the selector leaves out altogether holds no key in the mesh", () => {
    const planned = planMesh({
        mesh: "m",
        clusters: [
            source({ name: "a", nodeSelector: { pool: "mesh" } }),
            target({ name: "b" }),
            { name: "c", podCIDRs: ["10.3.0.0/16"] },
        ],
        nodes: {
            a: [located({ seed: 1 })],
            b: [node({ seed: 2, pods: ["10.2.1.0/24"], annotations: { key: key(1) } })],
        },
    });
    expect(Object.keys(planned.peers.c!)).toEqual(["m--b--n2"]);
    expect(reasons(planned)).toEqual(["b/n2 PeerKeyForeign in a"]);
});

describe("what leaves nobody is an issue, not silence", () => {
    const message = 'nodeSelector, excludeNodes and opt-outs leave no node of "src"';

    test("a selector that matches nothing", () => {
        const planned = plan([node()], { src });
        expect(peersIn(planned)).toEqual({});
        expect(codes(planned)).toEqual(["warning SelectorEmpty src"]);
        expect(saidBy(planned, "SelectorEmpty")).toEqual([message]);
    });

    test("nodes that all opt out", () => {
        const out = node();
        Object.assign(out.metadata!.annotations!, { "kilo-clustermesh.io/ignore": "true" });
        expect(codes(plan([out]))).toEqual(["warning SelectorEmpty src"]);
    });

    test("excludeNodes that name them all", () => {
        expect(codes(plan([node()], { src: { excludeNodes: ["n1"] } }))).toEqual(["warning SelectorEmpty src"]);
    });

    test("but not a cluster without nodes, which is said by another", () => {
        expect(codes(plan([], { src }))).toEqual(["warning ClusterNoNodes src"]);
    });
});

describe("a node that opts out", () => {
    const optsOut = (value: string) => {
        const out = node({ seed: 1 });
        Object.assign(out.metadata!.annotations!, { "kilo-clustermesh.io/ignore": value });
        return plan([out, node({ seed: 2 })]);
    };

    test("is not carried, and nothing is said about it", () => {
        expect(Object.keys(peersIn(optsOut("true")))).toEqual(["src--n2"]);
        expect(optsOut("true").skipped).toEqual([]);
        expect(optsOut("true").issues).toEqual([]);
    });

    test.each(["false", "", "True", "yes", "1"])("does so with the word true and no other: %j", (value) => {
        expect(Object.keys(peersIn(optsOut(value)))).toEqual(["src--n1", "src--n2"]);
    });
});

describe("excludeNodes", () => {
    const excludes = { src: { excludeNodes: ["n1"] } };

    test("keeps a node out, unlike the selector as leader too: its key may be stolen", () => {
        expect(Object.keys(peersIn(plan([node({ seed: 1 }), node({ seed: 2 })], excludes)))).toEqual(["src--n2"]);
        const planned = plan([located({ seed: 1, annotations: { leader: "" } }), located({ seed: 2 })], excludes);
        expect(peersIn(planned)["src--location-eu"]?.spec).toMatchObject({
            publicKey: key(2),
            allowedIPs: ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });

    test("that take the leader of a location away cut off the rest of it, which is an issue with what to do", () => {
        const planned = plan(
            [located({ seed: 1, annotations: { leader: "" } }), located({ seed: 2 }), located({ seed: 3 })],
            excludes,
        );
        expect(planned.issues).toEqual([
            {
                code: "LeaderExcluded",
                severity: "warning",
                path: "src/n1",
                message:
                    'excludeNodes has "n1", which leads location "eu" of "src": its key is not used, so "n2", "n3" there cannot be reached until Kilo lets another node lead',
                fix: 'Remove "n1" from its cluster, or take kilo.squat.ai/leader off it and put it on "n2"; then run `pulumi up` again',
            },
        ]);
    });

    test.each<[string, Parameters<typeof located>[0][]]>([
        ["another node leads", [{ seed: 1 }, { seed: 2, annotations: { leader: "" } }]],
        ["it was alone in its location", [{ seed: 1 }, { seed: 2, annotations: { location: "us" } }]],
    ])("are silent about a leader where %s", (_, nodes) => {
        expect(codes(plan(nodes.map(located), excludes)).filter((code) => code.includes("Leader"))).toEqual([]);
    });

    test("that name a leader do not let its location carry the services while another one can", () => {
        const nodes = [
            located({ seed: 1 }),
            located({ seed: 2 }),
            located({ seed: 3, annotations: { location: "us" } }),
        ];
        const planned = plan(nodes, { src: { excludeNodes: ["n1"], serviceCIDR: "10.96.0.0/16" } });
        const carriers = Object.entries(peersIn(planned)).filter(([, { spec }]) =>
            spec.allowedIPs.includes("10.96.0.0/16"),
        );
        expect(carriers.map(([name]) => name)).toEqual(["src--location-us"]);
    });

    test("revokes a node of a cluster that is silent", () => {
        const known = plan([node({ seed: 1 }), node({ seed: 2 })]).facts;
        const silent = planMesh({
            mesh: "m",
            clusters: [source({ excludeNodes: ["n1"] }), target()],
            nodes: {},
            lastKnown: known,
        });
        expect(Object.keys(peersIn(silent))).toEqual(["src--n2"]);
    });

    test("that name no node are an issue, with every name", () => {
        const planned = plan([node()], { src: { excludeNodes: ["gone", "n9"] } });
        expect(planned.issues).toEqual([
            {
                code: "ExcludedNodeUnknown",
                severity: "warning",
                path: "src",
                message: 'excludeNodes of "src" names "gone", "n9", which it does not have',
                fix: "Correct the name, or remove it from excludeNodes",
            },
        ]);
    });
});
