import type { Observations } from "../kilo/observations";
import type { LivePeer, Peer } from "../kilo/peer";
import { isSetUp } from "../kilo/public-key";
import type { NodeFacts } from "../kilo/types";
import { byText } from "../values/show";
import type { DeclaredNetworks } from "./args/declared-networks";
import { linkedPairs } from "./args/topology";
import { isOfUnknown } from "./drift";
import { type Knowledge, mergeNodes, recordable } from "./knowledge";
import { peerLabels } from "./names";
import type { Proof } from "./ownership";
import { classify, type LivePeers, NOBODY, type TakenHow } from "./plan/classify";
import type { TargetPlan } from "./plan/plan-target";
import { planTargets } from "./plan/plan-targets";
import { capacityIssues, capacityOf, type TargetLoad } from "./report/capacity";
import { clusterIssues } from "./report/cluster-issues";
import { sortIssues } from "./report/findings";
import { type GraphLink, renderGraph } from "./report/graph";
import { linkIssues } from "./report/link-issues";
import { sortSkipped } from "./report/skip";
import { clusterModels } from "./segments/cluster-model";
import { holdingsOf } from "./segments/holdings";
import type { SourceInput } from "./segments/sources";
import type { Capacity, Issue, MeshSpec, SkippedNode } from "./types";

/** What is known when a run plans: arguments that were checked, what was seen, what was known before, and our claims. */
export interface RunInput {
    readonly mesh: Pick<MeshSpec, "mesh" | "clusters" | "topology" | "adopt" | "peerWarning">;
    /** The networks of the clusters, in their order. */
    readonly networks: DeclaredNetworks;
    readonly meshId?: string | undefined;
    /** By cluster; one that is missing was not seen. */
    readonly knowledge: Readonly<Record<string, Knowledge>>;
    readonly lastKnown: Readonly<Record<string, readonly NodeFacts[]>>;
    readonly claims: Readonly<Record<string, string>>;
    /** DNS names that certainly do not exist. */
    readonly unresolvable: readonly string[];
    /** Addresses of DNS names. */
    readonly resolved: Readonly<Record<string, string>>;
}

/** An object that becomes ours in this run. */
export interface TakeOver {
    readonly name: string;
    readonly how: TakenHow;
    /** The plan wants it; otherwise it is deleted. */
    readonly wanted: boolean;
}

/** What one peer set is told. */
export interface TargetRun {
    readonly state: Knowledge["state"];
    /** By source, then by name. */
    readonly peers: ReadonlyMap<string, ReadonlyMap<string, Peer>>;
    /** Linked sources of which a value is not known yet. */
    readonly unknown: readonly string[];
    readonly takeOver: readonly TakeOver[];
    /** Ours, as they are now. */
    readonly ours: ReadonlyMap<string, LivePeer>;
    /** Peers without labels under our names, which may be ours. */
    readonly unclaimed: ReadonlyMap<string, LivePeer>;
    /** By source, the labels that its peers have here. */
    readonly labels: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

export interface RunResult {
    readonly targets: Readonly<Record<string, TargetRun>>;
    /** What is known of the nodes now. */
    readonly facts: Readonly<Record<string, readonly NodeFacts[]>>;
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
    readonly capacity: Capacity;
    readonly graph: string;
    /** Clusters in which annotations that are missing now would move a leader or a cluster-wide network. */
    readonly unsettled: readonly string[];
}

/** Nobody tells why; then there is nothing to say about it either. */
const SILENT: Knowledge = { state: "silent", reason: "", fix: "Wait until it answers" };

/** The one assembly of what is known into a plan: for the component, the command line, `planMesh` and every test. */
export function run(input: RunInput): RunResult {
    const { mesh, meshId, claims } = input;
    const knowledgeOf = (name: string): Knowledge =>
        Object.hasOwn(input.knowledge, name) ? input.knowledge[name]! : SILENT;
    const models = [...clusterModels(mesh.clusters, input.networks)].sort((a, b) => byText(a.name, b.name));
    const names = models.map(({ name }) => name);
    const links = linkedPairs(names, mesh.topology);
    const known = models.filter(({ name }) => knowledgeOf(name).state !== "unknown");
    const claimOf = new Map(Object.entries(claims).filter(([, claim]) => claim !== ""));
    const present = new Set(claimOf.values());

    const live = new Map<string, LivePeers>();
    const observed = new Map<string, Observations>();
    for (const { name } of known) {
        const knowledge = knowledgeOf(name);
        if (knowledge.state !== "seen") continue;
        live.set(name, classify(knowledge.peers, proofOf(name)));
        observed.set(name, knowledge.observed);
    }
    const issues: Issue[] = [...linkIssues(models, links)];
    const facts: Record<string, readonly NodeFacts[]> = {};
    const sources = known.map((cluster): SourceInput => {
        const { name, spec } = cluster;
        const knowledge = knowledgeOf(name);
        const last = Object.hasOwn(input.lastKnown, name) ? input.lastKnown[name]! : [];
        const { nodes, keptAll } = mergeNodes(last, knowledge, spec);
        const judged =
            knowledge.state === "seen" && (nodes.some(isSetUp) || (nodes.length === 0 && spec.allowEmpty === true));
        facts[name] = nodes.map(recordable);
        issues.push(...clusterIssues(name, knowledge, input.knowledge, nodes, keptAll));
        const targets = (links[name] ?? []).flatMap((target) => live.get(target) ?? []);
        const listed = knowledge.state === "seen" && knowledge.nodes.length > 0 ? nodes : undefined;
        return { cluster, nodes, holdings: holdingsOf(name, targets), judged: judged && !keptAll, listed };
    });
    const planned = planTargets({
        mesh: mesh.mesh,
        meshId,
        models,
        sources,
        links,
        claims: claimOf,
        live,
        observed,
        unresolvable: new Set(input.unresolvable),
        resolved: input.resolved,
    });

    const loads: TargetLoad[] = [];
    const targets: Record<string, TargetRun> = {};
    for (const name of names) {
        const state = knowledgeOf(name).state;
        const linked = links[name] ?? [];
        const unknown = linked.filter((source) => state === "unknown" || knowledgeOf(source).state === "unknown");
        const plan = planned.targets.get(name);
        if (plan === undefined) {
            const none = new Map<string, never>();
            targets[name] = { state, peers: none, unknown, ours: none, takeOver: [], unclaimed: none, labels: none };
            continue;
        }
        const { peers, unclaimed, bytes } = plan;
        const found = live.get(name) ?? NOBODY;
        targets[name] = {
            state,
            peers,
            unknown,
            ours: found.ours,
            takeOver: takeOvers(found, peers, unknown),
            unclaimed: new Map(unclaimed.map((peer) => [peer, found.foreign.get(peer)!])),
            labels: new Map(linked.map((source) => [source, peerLabels(mesh.mesh, source, claimOf.get(name), meshId)])),
        };
        const { built } = planned.sources.get(name)!;
        const strangers = found.foreign.size - unclaimed.length;
        const { kiloSegments } = built;
        loads.push({ target: name, peers: countPeers(plan), strangers, bytes, kiloSegments });
        issues.push(...built.issues, ...plan.issues);
    }
    const capacity = capacityOf(loads);
    issues.push(...capacityIssues(capacity, mesh.peerWarning));
    const unsettled = new Set([...planned.targets.values()].flatMap((plan) => plan.unsettled));
    const drawn = [...planned.sources].map(([name, { built }]) => ({ name, segments: built.segments.length }));
    return {
        targets,
        facts,
        skipped: sortSkipped(planned.skipped),
        issues: sortIssues(issues),
        capacity,
        graph: renderGraph(mesh.mesh, drawn, graphLinks(links, planned.targets)),
        unsettled: [...planned.sources].flatMap(([name, { built }]) =>
            built.unsettled.length > 0 || unsettled.has(name) ? [name] : [],
        ),
    };

    function proofOf(target: string): Proof {
        const sources = new Set(links[target] ?? []);
        return {
            claim: claimOf.get(target),
            meshId,
            present,
            adopt: mesh.adopt === true ? { mesh: mesh.mesh, sources } : undefined,
        };
    }
}

const countPeers = ({ peers }: TargetPlan): number => [...peers.values()].reduce((sum, { size }) => sum + size, 0);

function takeOvers(live: LivePeers, peers: TargetRun["peers"], unknown: readonly string[]): readonly TakeOver[] {
    const isWanted = (name: string): boolean => [...peers.values()].some((ofSource) => ofSource.has(name));
    return [...live.taken]
        .filter(([name]) => !isOfUnknown(live.ours.get(name)!, unknown))
        .map(([name, how]) => ({ name, how, wanted: isWanted(name) }));
}

function graphLinks(
    links: Readonly<Record<string, readonly string[]>>,
    targets: ReadonlyMap<string, TargetPlan>,
): readonly GraphLink[] {
    const into = (target: string, source: string): number => targets.get(target)?.peers.get(source)?.size ?? 0;
    return Object.entries(links).flatMap(([a, others]) =>
        others.filter((b) => a < b).map((b) => ({ a, b, toB: into(b, a), toA: into(a, b) })),
    );
}
