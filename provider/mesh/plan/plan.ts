import { byText } from "../../values/show";
import { own } from "../../values/untrusted";
import { type DeclaredNetworks, overlapIssues, readDeclared } from "../args/declared-networks";
import { linkedPairs } from "../args/topology";
import { capacityIssues, capacityOf, type TargetLoad } from "../report/capacity";
import { hasErrors, sortIssues } from "../report/findings";
import { type GraphLink, renderGraph } from "../report/graph";
import { linkIssues } from "../report/link-issues";
import { sortSkipped } from "../report/skip";
import { clusterModels } from "../segments/cluster-model";
import { keyIncumbents } from "../segments/contested-keys";
import type { KeyHolder } from "../segments/node-check";
import { type ClusterReading, type ReadMesh, readMesh } from "../segments/sources";
import type { ClusterSpec, FactsInput, FactsPlan, Issue, PlannedPeer, SkippedNode } from "../types";
import { planTarget } from "./plan-target";
import { targetReader } from "./target";

/** The whole plan from facts that were read before. Arguments are taken as checked, but for their networks. */
export function planFromFacts({ facts, discovered, ...given }: FactsInput): FactsPlan {
    const networks = readDeclared(given.clusters);
    const issues = [...networks.issues, ...overlapIssues(networks.byCluster.flat())];
    if (hasErrors(issues)) return emptyPlan(sortIssues(issues));
    return planModels(given, networks, ({ name }) => ({
        facts: Object.hasOwn(facts, name) ? (facts[name] ?? []) : [],
        observed: own(discovered, name),
        issues: [],
    }));
}

export function emptyPlan(issues: readonly Issue[]): FactsPlan {
    const capacity = { peersPerTarget: {}, objects: 0, wireguardPeersPerNode: {}, configBytesPerNode: {} };
    return { peers: {}, adopted: {}, skipped: [], issues, capacity, graph: renderGraph("", [], []) };
}

type Given = Omit<FactsInput, "facts" | "discovered">;

type Links = Readonly<Record<string, readonly string[]>>;

/**
 * As `planFromFacts`, with the networks parsed. Clusters are read one by one: of most facts little needs to stay.
 *
 * Planned again only where a key is claimed twice and a cluster keeps it. One that no target can have the key of, because its
 * node is left out or refused everywhere, would have lost it by the next run: it does not keep it.
 */
export function planModels(
    input: Given,
    networks: DeclaredNetworks,
    read: (cluster: ClusterSpec) => ClusterReading,
): FactsPlan {
    const models = [...clusterModels(input.clusters, networks)].sort((a, b) => byText(a.name, b.name));
    const links = linkedPairs(
        models.map(({ name }) => name),
        input.topology,
    );
    const planned = (mesh: ReadMesh) => planSources(input, mesh, links, linkIssues(models, links));
    const found = readMesh(input.mesh, models, read);
    let held = keyIncumbents(found.contested, { links, claims: input.claims, livePeers: input.livePeers });
    while (held.size > 0) {
        const plan = planned(readMesh(input.mesh, models, read, held));
        const used = usedKeys(held, plan);
        if (used.size === held.size) return plan;
        held = used;
    }
    return planned(found);
}

/** Those that some target gets a peer with: it is their holder's, since the key is kept from all others. */
function usedKeys(held: ReadonlyMap<string, KeyHolder>, { peers }: FactsPlan): ReadonlyMap<string, KeyHolder> {
    const ofTargets = Object.values(peers).flatMap((ofTarget) => Object.values(ofTarget));
    const planned = new Set(ofTargets.map(({ spec }) => spec.publicKey));
    return new Map([...held].filter(([key]) => planned.has(key)));
}

function planSources(input: Given, mesh: ReadMesh, links: Links, found: readonly Issue[]): FactsPlan {
    const targets = targetReader(input, mesh);

    const peers: Record<string, Readonly<Record<string, PlannedPeer>>> = {};
    const adopted: Record<string, readonly string[]> = {};
    const written = new Map<string, ReadonlyMap<string, number>>();
    const loads: TargetLoad[] = [];
    const skipped: SkippedNode[][] = [];
    const issues: Issue[][] = [[...mesh.issues, ...found]];
    for (const [name, source] of mesh.sources) {
        const target = targets(source);
        const linked = links[name]!.map((other) => mesh.sources.get(other)!);
        const planned = planTarget(input.mesh, target, linked);
        peers[name] = planned.peers;
        adopted[name] = target.live.adopted;
        written.set(name, planned.written);
        const count = [...planned.written.values()].reduce((sum, ofSource) => sum + ofSource, 0);
        loads.push({ target: name, peers: count, bytes: planned.bytes, kiloSegments: source.built.kiloSegments });
        skipped.push([...source.built.skipped, ...planned.skipped]);
        issues.push([...source.built.issues, ...planned.issues]);
    }
    const capacity = capacityOf(loads);
    issues.push([...capacityIssues(capacity, input.peerWarning)]);
    const drawn = [...mesh.sources].map(([name, { built }]) => ({ name, segments: built.segments.length }));
    return {
        peers,
        adopted,
        skipped: sortSkipped(skipped.flat()),
        issues: sortIssues(issues.flat()),
        capacity,
        graph: renderGraph(input.mesh, drawn, graphLinks(links, written)),
    };
}

function graphLinks(links: Links, written: ReadonlyMap<string, ReadonlyMap<string, number>>): readonly GraphLink[] {
    const into = (target: string, source: string): number => written.get(target)?.get(source) ?? 0;
    return Object.entries(links).flatMap(([a, others]) =>
        others.filter((b) => a < b).map((b) => ({ a, b, toB: into(b, a), toA: into(a, b) })),
    );
}
