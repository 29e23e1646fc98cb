import { capacityIssues, capacityOf, type TargetLoad } from "./capacity";
import { type DeclaredNetworks, overlapIssues, readDeclared } from "./declared";
import { type GraphLink, renderGraph } from "./graph";
import { hasErrors, sortIssues } from "./issue";
import { keyIncumbents } from "./key-incumbents";
import { linkIssues } from "./link-issues";
import { type ClusterModel, clusterModels } from "./model";
import { planTarget } from "./plan-target";
import { type ClusterReading, type ReadMesh, readMesh, type Source } from "./read-mesh";
import { sortSkipped } from "./skip";
import { targetReader } from "./target";
import { byText } from "./text";
import { linkedPairs } from "./topology";
import type { ClusterSpec, FactsInput, FactsPlan, Issue, PlannedPeer, SkippedNode } from "./types";
import { own } from "./untrusted";

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

/**
 * Read again only where a key is claimed twice and its holder is not the first by order. A holder that has no use for the key,
 * since its node is left out for another reason, would lose it by the next run: it does not count.
 */
function readHeld(
    { mesh, claims, livePeers }: Omit<FactsInput, "facts" | "discovered">,
    models: readonly ClusterModel[],
    links: Readonly<Record<string, readonly string[]>>,
    read: (cluster: ClusterSpec) => ClusterReading,
): ReadMesh {
    const found = readMesh(mesh, models, read);
    const held = keyIncumbents(found.contested, { links, claims, livePeers });
    if (held.size === 0) return found;
    const again = readMesh(mesh, models, read, held);
    const used = new Map([...held].filter(([key, { cluster }]) => usesKey(again.sources.get(cluster), key)));
    return used.size === held.size ? again : readMesh(mesh, models, read, used);
}

const usesKey = (source: Source | undefined, key: string): boolean =>
    source?.built.segments.some((segment) => segment.key === key) ?? false;

/** As `planFromFacts`, with the networks parsed. Clusters are read one by one: of most facts little needs to stay. */
export function planModels(
    input: Omit<FactsInput, "facts" | "discovered">,
    networks: DeclaredNetworks,
    read: (cluster: ClusterSpec) => ClusterReading,
): FactsPlan {
    const models = [...clusterModels(input.clusters, networks)].sort((a, b) => byText(a.name, b.name));
    const links = linkedPairs(
        models.map(({ name }) => name),
        input.topology,
    );
    const mesh = readHeld(input, models, links, read);
    const targets = targetReader(input, mesh);

    const peers: Record<string, Readonly<Record<string, PlannedPeer>>> = {};
    const adopted: Record<string, readonly string[]> = {};
    const written = new Map<string, ReadonlyMap<string, number>>();
    const loads: TargetLoad[] = [];
    const skipped: SkippedNode[][] = [];
    const issues: Issue[][] = [[...mesh.issues, ...linkIssues(models, links)]];
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

function graphLinks(
    links: Readonly<Record<string, readonly string[]>>,
    written: ReadonlyMap<string, ReadonlyMap<string, number>>,
): readonly GraphLink[] {
    const into = (target: string, source: string): number => written.get(target)?.get(source) ?? 0;
    return Object.entries(links).flatMap(([a, others]) =>
        others.filter((b) => a < b).map((b) => ({ a, b, toB: into(b, a), toA: into(a, b) })),
    );
}
