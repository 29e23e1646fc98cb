import type { KubeNode } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec, Plan, PlanInput } from "../../../provider/mesh/types";
import fc from "../../support/chance";
import { key } from "../../support/keys";
import { arbitraryMesh, holds, RUNS } from "./arbitrary-mesh";
import { atRest } from "./reduced-knowledge";

const SOURCE = "kilo-clustermesh.io/source-cluster";

interface Place {
    readonly input: PlanInput;
    /** A target, a source whose peer it has, and a node that the peer stands for alone. */
    readonly target: string;
    readonly source: string;
    readonly node: KubeNode;
    readonly peer: string;
}

/** Well-formed meshes at rest, one peer per node, each with a peer somewhere. */
const place: fc.Arbitrary<Place> = fc
    .tuple(arbitraryMesh({ clean: true }), fc.nat(), fc.nat())
    .map(([mesh, t, n]) => {
        const full: PlanInput = {
            ...mesh,
            meshId: "the-mesh",
            claims: Object.fromEntries(mesh.clusters.map(({ name }) => [name, `claim-${name}`])),
            nodes: Object.fromEntries(
                Object.entries(mesh.nodes).map(([name, nodes]) => [
                    name,
                    nodes.map((each) => annotated(each, { granularity: "full" })),
                ]),
            ),
        };
        const { input, plan } = atRest(full);
        const places = Object.entries(plan.peers).flatMap(([target, peers]) =>
            Object.entries(peers).flatMap(([peer, { labels }]): Place[] => {
                const source = labels[SOURCE]!;
                const node = input.nodes[source]!.find(({ metadata }) => peer === `m--${source}--${metadata?.name}`);
                return node === undefined ? [] : [{ input, target, source, node, peer }];
            }),
        );
        return places[(t + n) % Math.max(1, places.length)];
    })
    .filter((found) => found !== undefined);

function annotated(node: KubeNode, values: Readonly<Record<string, string | undefined>>): KubeNode {
    const annotations: Record<string, string> = { ...node.metadata?.annotations };
    for (const [name, value] of Object.entries(values)) {
        const full = name.includes("/") ? name : `kilo.squat.ai/${name}`;
        if (value === undefined) delete annotations[full];
        else annotations[full] = value;
    }
    return { ...node, metadata: { ...node.metadata, annotations } };
}

/** Only the target is seen, and the source where its own word is the evidence. */
function otherwiseSilent({ input, target, source }: Place, word: readonly KubeNode[] | undefined): PlanInput {
    const nodes = Object.fromEntries(Object.entries(input.nodes).filter(([name]) => name === target));
    return { ...input, nodes: word === undefined ? nodes : { ...nodes, [source]: word } };
}

const others = ({ input, source, node }: Place): readonly KubeNode[] =>
    input.nodes[source]!.filter((other) => other !== node);

const withSource = (input: PlanInput, source: string, change: (spec: ClusterSpec) => ClusterSpec): PlanInput => ({
    ...input,
    clusters: input.clusters.map((spec) => (spec.name === source ? change(spec) : spec)),
});

const gone = (found: Place, input: PlanInput): void => {
    const plan = planMesh(input);
    const errors = plan.issues.filter(({ severity, path }) => severity === "error" && path.startsWith("clusters"));
    holds(errors.length === 0, "refused", errors);
    holds(plan.peers[found.target]?.[found.peer] === undefined, "still there", found.peer, plan.peers[found.target]);
};

function check(promised: (found: Place) => void): void {
    fc.assert(fc.property(place, promised), { numRuns: Math.ceil(RUNS / 10) });
}

const podsOf = ({ node }: Place): readonly string[] => node.spec?.podCIDRs ?? [];

const routes = (plan: Plan, { target, peer }: Place): readonly string[] =>
    plan.peers[target]?.[peer]?.spec.allowedIPs ?? [];

describe("with all else silent, a peer is withdrawn by the run that sees", () => {
    test("that the program no longer has the cluster", () => {
        check((found) => {
            const { source } = found;
            const input = otherwiseSilent(found, undefined);
            const { topology: _, ...rest } = input;
            const clusters = input.clusters.filter(({ name }) => name !== source);
            gone(found, { ...rest, clusters });
        });
    });

    test("that the program no longer has the link", () => {
        check((found) => {
            const { target, source, input } = found;
            const third = input.clusters.find(({ name }) => name !== target && name !== source)?.name;
            if (third === undefined) return;
            gone(found, { ...otherwiseSilent(found, undefined), topology: { links: [{ a: source, b: third }] } });
        });
    });

    test("that the program no longer declares or accepts the network", () => {
        check((found) => {
            const input = otherwiseSilent(found, undefined);
            const elsewhere = withSource(input, found.source, ({ allowedNetworks: _, podCIDRs: __, ...spec }) => ({
                ...spec,
                podCIDRs: ["10.77.0.0/16"],
            }));
            const undeclared = planMesh(elsewhere);
            for (const network of podsOf(found))
                holds(!routes(undeclared, found).includes(network), "declared", network);
            const closed = withSource(input, found.target, (spec) => ({ ...spec, acceptedNetworks: ["10.77.0.0/16"] }));
            gone(found, closed);
        });
    });

    test("that the program excludes the node", () => {
        check((found) => {
            const name = found.node.metadata?.name ?? "";
            gone(
                found,
                withSource(otherwiseSilent(found, undefined), found.source, (spec) => ({
                    ...spec,
                    excludeNodes: [name],
                })),
            );
        });
    });

    test("a complete list that lacks the node", () => {
        check((found) => {
            const rest = others(found);
            if (rest.length > 0) gone(found, otherwiseSilent(found, rest));
            else
                gone(
                    found,
                    withSource(otherwiseSilent(found, []), found.source, (spec) => ({ ...spec, allowEmpty: true })),
                );
        });
    });

    test("that the node opts out or is no longer selected", () => {
        check((found) => {
            const out = annotated(found.node, { "kilo-clustermesh.io/ignore": "true" });
            gone(found, otherwiseSilent(found, [...others(found), out]));
            const labelled = { ...found.node, metadata: { ...found.node.metadata, labels: { pool: "none" } } };
            const input = otherwiseSilent(found, [...others(found), labelled]);
            gone(
                found,
                withSource(input, found.source, (spec) => ({ ...spec, nodeSelector: { pool: "mesh" } })),
            );
        });
    });

    test("a new valid key: the peer is replaced under its name", () => {
        check((found) => {
            const renewed = annotated(found.node, { key: key(777) });
            const plan = planMesh(otherwiseSilent(found, [...others(found), renewed]));
            holds(plan.peers[found.target]?.[found.peer]?.spec.publicKey === key(777), "not replaced", plan.peers);
        });
    });

    test("that its pod CIDR is another one, or lies outside the declared networks", () => {
        check((found) => {
            const moved = { ...found.node, spec: { podCIDRs: ["10.99.1.0/24"] } };
            const plan = planMesh(otherwiseSilent(found, [...others(found), moved]));
            for (const network of podsOf(found)) holds(!routes(plan, found).includes(network), "still routed", network);
        });
    });

    test("that another node of the cluster has the key which the node, without annotations now, had", () => {
        check((found) => {
            const [other] = others(found);
            if (other === undefined) return;
            const had = found.node.metadata?.annotations?.["kilo.squat.ai/key"];
            const taker = annotated(other, { key: had });
            const bare = annotated(found.node, { key: undefined, endpoint: undefined, granularity: undefined });
            const rest = others(found).filter((node) => node !== other);
            const plan = planMesh(otherwiseSilent(found, [...rest, taker, bare]));
            holds(plan.peers[found.target]?.[found.peer] === undefined, "still there", plan.peers[found.target]);
        });
    });
});
