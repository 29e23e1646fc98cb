import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { Plan, PlanInput } from "../../../provider/mesh/types";
import fc from "../../support/chance";
import { key } from "../../support/keys";
import { arbitraryMesh } from "./arbitrary-mesh";

/** One way in which a run may know less than it did. */
export type Reduction =
    | { readonly of: "cluster"; readonly at: number; readonly how: "silent" | "empty" }
    | {
          readonly of: "annotation";
          readonly at: number;
          readonly node: number;
          readonly name: string;
          readonly how: "removed" | "mangled" | "duplicated";
      }
    | { readonly of: "Kilo"; readonly at: number; readonly node: number }
    | { readonly of: "clock"; readonly at: number; readonly by: number };

const WRITTEN_BY_KILO = [
    "key",
    "endpoint",
    "wireguard-ip",
    "granularity",
    "internal-ip",
    "last-seen",
    "discovered-endpoints",
];
/** What no two nodes share. Of the others one value is as good as another, and a new one is a change that Kilo made. */
const UNIQUE = ["key", "endpoint", "wireguard-ip", "internal-ip"];
const WRITTEN_BY_PEOPLE = ["force-endpoint", "clustermesh-endpoint"];

const at = fc.nat(3);
const node = fc.nat(3);

export const reduction: fc.Arbitrary<Reduction> = fc.oneof(
    {
        weight: 2,
        arbitrary: fc.record({
            of: fc.constant("cluster" as const),
            at,
            how: fc.constantFrom("silent" as const, "silent" as const, "empty" as const),
        }),
    },
    {
        weight: 5,
        arbitrary: fc.record({
            of: fc.constant("annotation" as const),
            at,
            node,
            name: fc.constantFrom(...WRITTEN_BY_KILO),
            how: fc.constantFrom("removed" as const, "mangled" as const),
        }),
    },
    {
        weight: 2,
        arbitrary: fc.record({
            of: fc.constant("annotation" as const),
            at,
            node,
            name: fc.constantFrom(...UNIQUE),
            how: fc.constant("duplicated" as const),
        }),
    },
    {
        weight: 1,
        arbitrary: fc.record({
            of: fc.constant("annotation" as const),
            at,
            node,
            name: fc.constantFrom(...WRITTEN_BY_PEOPLE),
            how: fc.constant("mangled" as const),
        }),
    },
    { weight: 2, arbitrary: fc.record({ of: fc.constant("Kilo" as const), at, node }) },
    { weight: 1, arbitrary: fc.record({ of: fc.constant("clock" as const), at, by: fc.constantFrom(-60, 60) }) },
);

export interface Situation {
    readonly mesh: PlanInput;
    readonly reductions: readonly Reduction[];
}

/** Meshes in which every cluster is seen and claimed, with strangers beside ours, and less knowledge of them. */
export const situation: fc.Arbitrary<Situation> = fc.record({
    mesh: arbitraryMesh().map(
        (mesh): PlanInput => ({
            ...mesh,
            adopt: false,
            meshId: "the-mesh",
            claims: Object.fromEntries(mesh.clusters.map(({ name }) => [name, `claim-${name}`])),
            livePeers: Object.fromEntries(
                Object.entries(mesh.livePeers ?? {}).map(([target, peers]) => [target, peers.filter(isForeign)]),
            ),
        }),
    ),
    reductions: fc.array(reduction, { minLength: 1, maxLength: 6 }),
});

export const CLAIM = "kilo-clustermesh.io/claim";

const isForeign = ({ metadata }: KubePeer): boolean => metadata?.labels?.[CLAIM] === undefined;

type Nodes = Record<string, readonly KubeNode[]>;

/** The same mesh with less knowledge. */
export function reduce(mesh: PlanInput, reductions: readonly Reduction[]): PlanInput {
    const names = mesh.clusters.map(({ name }) => name);
    const nodes: Nodes = { ...mesh.nodes };
    const clocks: Record<string, number> = {};
    const base = typeof mesh.now === "number" ? mesh.now : undefined;
    for (const name of names) if (base !== undefined) clocks[name] = base;
    for (const each of reductions) {
        const cluster = names[each.at % names.length]!;
        if (each.of === "clock") {
            if (clocks[cluster] !== undefined) clocks[cluster] += each.by;
        } else if (each.of === "cluster") {
            if (each.how === "silent") delete nodes[cluster];
            else if (nodes[cluster] !== undefined) nodes[cluster] = [];
        } else {
            const list = nodes[cluster] ?? [];
            const which = list[each.node % Math.max(1, list.length)];
            if (which === undefined) continue;
            const changed = each.of === "Kilo" ? stopped(which) : blurred(which, each, mesh);
            nodes[cluster] = list.map((other) => (other === which ? changed : other));
        }
    }
    return { ...mesh, nodes, ...(base === undefined ? {} : { now: clocks }) };
}

/** A clean stop of Kilo takes away all that it wrote (docs/kilo.md: a clean stop removes annotations). */
const stopped = (node: KubeNode): KubeNode => WRITTEN_BY_KILO.reduce((found, name) => annotated(found, name), node);

function blurred(node: KubeNode, { name, how }: Extract<Reduction, { of: "annotation" }>, mesh: PlanInput): KubeNode {
    const value = node.metadata?.annotations?.[`kilo.squat.ai/${name}`];
    // what a person never wrote cannot be mangled
    if (value === undefined) return node;
    if (how === "removed") return annotated(node, name);
    if (how === "mangled") return annotated(node, name, name === "key" ? key(999).slice(0, 40) : `?${value}`);
    const others = Object.values(mesh.nodes).flat();
    const twin = others.find((other) => other !== node && other.metadata?.annotations?.[`kilo.squat.ai/${name}`]);
    return annotated(node, name, twin?.metadata?.annotations?.[`kilo.squat.ai/${name}`] ?? value);
}

function annotated(node: KubeNode, name: string, value?: string): KubeNode {
    const { [`kilo.squat.ai/${name}`]: _, ...rest } = node.metadata?.annotations ?? {};
    const annotations = value === undefined ? rest : { ...rest, [`kilo.squat.ai/${name}`]: value };
    return { ...node, metadata: { ...node.metadata, annotations } };
}

/** The objects that a run leaves in the clusters: what it planned in those it saw, and strangers as they were. */
export function applied(mesh: PlanInput, plan: Plan): Record<string, readonly KubePeer[]> {
    return Object.fromEntries(
        mesh.clusters.map(({ name }) => {
            const before = mesh.livePeers?.[name] ?? [];
            if (mesh.nodes[name] === undefined) return [name, before];
            const ours = Object.entries(plan.peers[name] ?? {}).map(
                ([peer, { labels, annotations, spec }]): KubePeer => {
                    const uid = `uid-${name}-${peer}`;
                    return { metadata: { name: peer, uid, labels, ...(annotations ? { annotations } : {}) }, spec };
                },
            );
            return [name, [...before.filter(isForeign), ...ours]];
        }),
    );
}

/** A mesh that a few runs with full knowledge have come to rest in. */
export function atRest(mesh: PlanInput): { readonly input: PlanInput; readonly plan: Plan } {
    let input = mesh;
    let plan = planMesh(input);
    for (let i = 0; i < 4; i++) {
        const next: PlanInput = { ...input, livePeers: applied(input, plan), lastKnown: plan.facts };
        const again = planMesh(next);
        const isSame = JSON.stringify(again.peers) === JSON.stringify(plan.peers);
        input = next;
        plan = again;
        if (isSame && i > 0) break;
    }
    return { input, plan };
}
