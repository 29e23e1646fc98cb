import type { Observations } from "../../kilo/observations";
import { skip } from "../report/skip";
import type { ClusterModel } from "../segments/cluster-model";
import { type KeyHolder, keyIncumbents } from "../segments/contested-keys";
import type { Segment } from "../segments/segment";
import { buildSources, type Source, type SourceInput, type Sources } from "../segments/sources";
import type { SkippedNode } from "../types";
import { type LivePeers, NOBODY } from "./classify";
import type { TargetPlan } from "./plan-target";
import { targetOf } from "./target";
import { targetPlanner } from "./target-planner";

/** Everything that decides the peers of a mesh, as values. */
export interface PlanningInput {
    readonly mesh: string;
    readonly meshId: string | undefined;
    /** All clusters, those of which nothing is known yet too. */
    readonly models: readonly ClusterModel[];
    /** The clusters whose nodes are known, in the order of their names. */
    readonly sources: readonly SourceInput[];
    readonly links: Readonly<Record<string, readonly string[]>>;
    readonly claims: ReadonlyMap<string, string>;
    readonly live: ReadonlyMap<string, LivePeers>;
    readonly observed: ReadonlyMap<string, Observations>;
    readonly unresolvable: ReadonlySet<string>;
    readonly resolved: Readonly<Record<string, string>>;
}

export interface Planned {
    readonly sources: ReadonlyMap<string, Source>;
    readonly targets: ReadonlyMap<string, TargetPlan>;
    readonly skipped: readonly SkippedNode[];
}

/**
 * The peers of every target. Planned again only where a key is claimed twice and a cluster keeps it. One that no target can
 * have the key of, because its node is left out or refused everywhere, would have lost it by the next run: it does not
 * keep it.
 */
export function planTargets(input: PlanningInput): Planned {
    const build = (held?: ReadonlyMap<string, KeyHolder>): Sources =>
        buildSources(input.mesh, input.sources, input.models, input.resolved, held);
    const found = build();
    let held = keyIncumbents(found.contested, input);
    while (held.size > 0) {
        const planned = planSources(input, build(held));
        const used = usedKeys(held, planned);
        if (used.size === held.size) return planned;
        held = used;
    }
    return planSources(input, found);
}

/** Those that some target gets a peer of their holder with. */
function usedKeys(held: ReadonlyMap<string, KeyHolder>, { targets }: Planned): ReadonlyMap<string, KeyHolder> {
    const planned = new Set<string>();
    for (const { peers } of targets.values()) {
        for (const [source, ofSource] of peers)
            for (const { spec } of ofSource.values()) planned.add(`${source} ${spec.publicKey}`);
    }
    return new Map([...held].filter(([key, { cluster }]) => planned.has(`${cluster} ${key}`)));
}

function planSources(input: PlanningInput, { byName, contested }: Sources): Planned {
    const { links, claims, live, observed } = input;
    const targets = new Map<string, TargetPlan>();
    const planTarget = targetPlanner();
    for (const [name, source] of byName) {
        const claim = claims.get(name);
        const target = targetOf(source, claim, live.get(name) ?? NOBODY, observed.get(name) ?? {}, {
            ...pickContext(input),
            contested,
        });
        const linked = (links[name] ?? []).flatMap((other) => byName.get(other) ?? []);
        targets.set(name, planTarget(target, linked));
    }
    const skipped = [
        ...[...byName.values()].flatMap(({ built }) => built.skipped),
        ...[...targets.values()].flatMap((plan) => plan.skipped),
        ...unknownSegments(byName, links, targets),
    ];
    return { sources: byName, targets, skipped };
}

const pickContext = ({ mesh, meshId, unresolvable, resolved }: PlanningInput) => ({
    mesh,
    meshId,
    unresolvable,
    resolved,
});

/** Segments that cannot say who they are: skipped as a whole where no target knows them, else where none does. */
function unknownSegments(
    sources: ReadonlyMap<string, Source>,
    links: PlanningInput["links"],
    targets: ReadonlyMap<string, TargetPlan>,
): readonly SkippedNode[] {
    const strangersIn = new Map<Segment, string[]>();
    for (const [target, { strangers }] of targets) {
        for (const segment of strangers) strangersIn.set(segment, [...(strangersIn.get(segment) ?? []), target]);
    }
    return [...sources].flatMap(([name, { built }]) => {
        const linked = (links[name] ?? []).filter((target) => targets.has(target));
        const unsure = built.segments.filter(({ problem }) => problem !== undefined);
        return unsure.flatMap((segment) => {
            const nodes = segment.carried.map(({ node }) => node);
            const lenders = nodes.includes(segment.lender) ? [segment.lender] : nodes;
            const unknownIn = strangersIn.get(segment) ?? [];
            const places = unknownIn.length === linked.length ? [undefined] : unknownIn;
            const { refusal } = segment.problem!;
            return places.flatMap((target) => lenders.map((node) => skip(name, node, refusal, target)));
        });
    });
}
