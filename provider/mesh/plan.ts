import type { Range } from "./address";
import { capacityIssues, capacityOf, type TargetLoad } from "./capacity";
import { type DeclaredNetworks, overlapIssues, readDeclared } from "./declared";
import { parseEndpoint } from "./endpoint";
import { uniqueByName } from "./facts";
import { type GraphLink, renderGraph } from "./graph";
import { hasErrors, sortIssues } from "./issue";
import { linkIssues } from "./link-issues";
import { readLivePeers } from "./live-peers";
import { type ClusterModel, clusterModels } from "./model";
import { type Owned, overlapFinder } from "./network-index";
import type { KeyHolder } from "./node-check";
import { planTarget, type Source, type Target } from "./plan-target";
import { clusterSegments, type NetworkUser } from "./segments";
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
    const keys = new Map<string, KeyHolder>();
    const sources = readSources(input, models, keys);
    const links = linkedPairs([...sources.keys()], input.topology);
    const names = new Set(sources.keys());
    const unresolvable = new Set(input.unresolvable ?? []);
    const declared = overlapFinder(models.flatMap((owner) => owner.declared.map((network) => ({ network, owner }))));
    const written = new Map<string, ReadonlyMap<string, number>>();

    const peers: Record<string, Readonly<Record<string, PlannedPeer>>> = {};
    const adopted: Record<string, readonly string[]> = {};
    const loads: TargetLoad[] = [];
    const skipped: SkippedNode[] = [];
    const issues: Issue[] = [...found, ...linkIssues(models, links)];
    for (const source of sources.values()) {
        skipped.push(...source.built.skipped);
        issues.push(...source.built.issues);
    }
    for (const [name, source] of sources) {
        const target = targetOf(input, source, names, keys, unresolvable, (network) => declared(network) !== undefined);
        const linked = links[name]!.map((other) => sources.get(other)!);
        const planned = planTarget(input.mesh, target, linked);
        peers[name] = planned.peers;
        written.set(name, planned.written);
        const count = [...planned.written.values()].reduce((sum, ofSource) => sum + ofSource, 0);
        loads.push({ target: name, peers: count, bytes: planned.bytes, kiloSegments: source.built.kiloSegments });
        adopted[name] = target.live.adopted;
        for (const entry of planned.skipped) skipped.push(entry);
        for (const entry of planned.issues) issues.push(entry);
    }
    const capacity = capacityOf(loads);
    issues.push(...capacityIssues(capacity, input.peerWarning));
    const drawn = [...sources].map(([name, { built }]) => ({ name, segments: built.segments.length }));
    return {
        peers,
        adopted,
        skipped: sortSkipped(skipped),
        issues: sortIssues(issues),
        capacity,
        graph: renderGraph(input.mesh, drawn, graphLinks(links, written)),
    };
}

function readSources(
    input: FactsInput,
    models: readonly ClusterModel[],
    keys: Map<string, KeyHolder>,
): ReadonlyMap<string, Source> {
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
    keys: ReadonlyMap<string, KeyHolder>,
    unresolvable: ReadonlySet<string>,
    isDeclared: (network: Range) => boolean,
): Target {
    const given = own(claims, cluster.name);
    const claim = typeof given === "string" && given !== "" ? given : undefined;
    const live = readLivePeers(own(livePeers, cluster.name), { mesh, target: cluster.name, clusters, claim, adopt });
    // what nobody declares is in no peer, and what the target itself declares is in no other cluster's networks
    const matters = ({ network }: Owned<NetworkUser>): boolean =>
        isDeclared(network) && cluster.holder(network) === undefined;
    return {
        cluster,
        claim,
        live,
        observed: own(discovered, cluster.name),
        twins: twinsOf(cluster, facts, keys),
        usedBy: overlapFinder([...live.foreignNetworks, ...built.used].filter(matters)),
        endpoints: () => facts.flatMap(endpointAddresses),
        unresolvable,
    };
}

/** Keys of the cluster's nodes by which another cluster is known in the mesh, with the node. */
function twinsOf(
    cluster: ClusterModel,
    facts: readonly NodeFacts[],
    keys: ReadonlyMap<string, KeyHolder>,
): ReadonlyMap<string, string> {
    const twins = new Map<string, string>();
    for (const { key, name } of facts) {
        const holder = key === undefined ? undefined : keys.get(key);
        if (key !== undefined && holder !== undefined && holder.cluster !== cluster.name) twins.set(key, name);
    }
    return twins;
}

function endpointAddresses({ clustermeshEndpoint, forceEndpoint, kiloEndpoint }: NodeFacts): readonly string[] {
    return [clustermeshEndpoint, forceEndpoint, kiloEndpoint].flatMap((text) => {
        const address = text === undefined ? undefined : parseEndpoint(text)?.address;
        return address === undefined ? [] : [address.text];
    });
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
