import { capacityIssues, capacityOf } from "./capacity";
import { type DeclaredNetworks, overlapIssues, readDeclared } from "./declared";
import { parseEndpoint } from "./endpoint";
import { uniqueByName } from "./facts";
import { type GraphLink, renderGraph } from "./graph";
import { hasErrors, sortIssues } from "./issue";
import { linkIssues } from "./link-issues";
import { readLivePeers } from "./live-peers";
import { type ClusterModel, clusterModels } from "./model";
import { SOURCE_LABEL } from "./names";
import { overlapFinder } from "./network-index";
import { planTarget, type Source, type Target } from "./plan-target";
import { clusterSegments } from "./segments";
import { sortSkipped } from "./skip";
import { byText } from "./text";
import { linkedPairs } from "./topology";
import type { ClusterSpec, Issue, KubePeer, NodeFacts, Plan, PlannedPeer, SkippedNode, Topology } from "./types";
import { own } from "./untrusted";

export interface FactsInput {
    readonly mesh: string;
    readonly claims?: Readonly<Record<string, string>>;
    readonly clusters: readonly ClusterSpec[];
    readonly topology?: Topology;
    readonly facts: Readonly<Record<string, readonly NodeFacts[]>>;
    /** Per target, what its nodes observed: public key to `ip:port`. */
    readonly discovered?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly livePeers?: Readonly<Record<string, readonly KubePeer[]>>;
    readonly adopt?: boolean;
    readonly peerWarning?: number;
    readonly unresolvable?: readonly string[];
}

export interface FactsPlan extends Plan {
    /** Per target, the live peers that `adopt` takes over. Those that are not planned are to be deleted. */
    readonly adopted: Readonly<Record<string, readonly string[]>>;
}

/** The whole plan from facts that were read before. Arguments are taken as checked, but for their networks. */
export function planFromFacts(input: FactsInput): FactsPlan {
    const networks = readDeclared(input.clusters);
    const issues = [...networks.issues, ...overlapIssues(networks.byCluster.flat())];
    return hasErrors(issues) ? emptyPlan(sortIssues(issues)) : planModels(input, networks, []);
}

export function emptyPlan(issues: readonly Issue[]): FactsPlan {
    const capacity = { peersPerTarget: {}, objects: 0, wireguardPeersPerNode: {}, configBytesPerNode: {} };
    return { peers: {}, adopted: {}, skipped: [], issues, capacity, graph: renderGraph("", [], []) };
}

/** As `planFromFacts`, with the networks parsed and what was found before. */
export function planModels(input: FactsInput, networks: DeclaredNetworks, found: readonly Issue[]): FactsPlan {
    const models = [...clusterModels(input.clusters, networks)].sort((a, b) => byText(a.name, b.name));
    const sources = readSources(input, models);
    const links = linkedPairs([...sources.keys()], input.topology);
    const names = new Set(sources.keys());
    const unresolvable = new Set(input.unresolvable ?? []);

    const peers: Record<string, Readonly<Record<string, PlannedPeer>>> = {};
    const adopted: Record<string, readonly string[]> = {};
    const skipped: SkippedNode[] = [];
    const issues: Issue[] = [...found, ...linkIssues(models, links)];
    for (const source of sources.values()) {
        skipped.push(...source.built.skipped);
        issues.push(...source.built.issues);
    }
    for (const [name, source] of sources) {
        const target = targetOf(input, source, names, unresolvable);
        const linked = links[name]!.map((other) => sources.get(other)!);
        const planned = planTarget(input.mesh, target, linked);
        peers[name] = planned.peers;
        adopted[name] = target.live.adopted;
        for (const entry of planned.skipped) skipped.push(entry);
        for (const entry of planned.issues) issues.push(entry);
    }
    const capacity = capacityOf(
        [...sources].map(([name, { built }]) => ({
            target: name,
            peers: peers[name]!,
            kiloSegments: built.kiloSegments,
        })),
    );
    issues.push(...capacityIssues(capacity, input.peerWarning));
    const drawn = [...sources].map(([name, { built }]) => ({ name, segments: built.segments.length }));
    return {
        peers,
        adopted,
        skipped: sortSkipped(skipped),
        issues: sortIssues(issues),
        capacity,
        graph: renderGraph(input.mesh, drawn, graphLinks(links, peers)),
    };
}

function readSources(input: FactsInput, models: readonly ClusterModel[]): ReadonlyMap<string, Source> {
    const keys = new Map<string, string>();
    return new Map(
        models.map((cluster) => {
            const facts = uniqueByName(factsOf(input, cluster.name));
            return [cluster.name, { cluster, facts, built: clusterSegments(input.mesh, cluster, facts, keys) }];
        }),
    );
}

function factsOf({ facts }: FactsInput, cluster: string): readonly NodeFacts[] {
    return Object.hasOwn(facts, cluster) ? (facts[cluster] ?? []) : [];
}

function targetOf(
    { mesh, claims, livePeers, discovered, adopt = false }: FactsInput,
    { cluster, facts, built }: Source,
    clusters: ReadonlySet<string>,
    unresolvable: ReadonlySet<string>,
): Target {
    const given = own(claims, cluster.name);
    const claim = typeof given === "string" && given !== "" ? given : undefined;
    const live = readLivePeers(own(livePeers, cluster.name), { mesh, target: cluster.name, clusters, claim, adopt });
    const foreign = live.foreignNetworks.map(({ network, owner }) => ({ network, owner }));
    return {
        cluster,
        claim,
        live,
        observed: own(discovered, cluster.name),
        keys: new Map(facts.flatMap(({ key, name }) => (key === undefined ? [] : [[key, name] as const]))),
        usedBy: overlapFinder([...foreign, ...built.used]),
        endpoints: () => facts.flatMap(endpointAddresses),
        unresolvable,
    };
}

function endpointAddresses({ clustermeshEndpoint, forceEndpoint, kiloEndpoint }: NodeFacts): readonly string[] {
    return [clustermeshEndpoint, forceEndpoint, kiloEndpoint].flatMap((text) => {
        const address = text === undefined ? undefined : parseEndpoint(text)?.address;
        return address === undefined ? [] : [address.text];
    });
}

function graphLinks(
    links: Readonly<Record<string, readonly string[]>>,
    peers: Readonly<Record<string, Readonly<Record<string, PlannedPeer>>>>,
): readonly GraphLink[] {
    const counts = new Map<string, number>();
    for (const target of Object.keys(peers)) {
        const ofTarget = peers[target]!;
        for (const name in ofTarget) {
            const pair = `${ofTarget[name]!.labels[SOURCE_LABEL]} ${target}`;
            counts.set(pair, (counts.get(pair) ?? 0) + 1);
        }
    }
    return Object.entries(links).flatMap(([a, others]) =>
        others
            .filter((b) => a < b)
            .map((b) => ({ a, b, toB: counts.get(`${a} ${b}`) ?? 0, toA: counts.get(`${b} ${a}`) ?? 0 })),
    );
}
