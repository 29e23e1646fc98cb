import type * as pulumi from "@pulumi/pulumi";
import type { KubePeer, NodeFacts } from "../../provider/kilo/types";
import { planFromFacts } from "../../provider/mesh/plan/plan";
import type { Capacity, ClusterSpec, Issue, PlannedPeer, SkippedNode, Topology } from "../../provider/mesh/types";
import { decodeFacts } from "../../provider/state/facts-text";
import { joinLines, splitLines } from "../../provider/state/line-list";
import { encodePeer } from "../../provider/state/peer-text";
import { SOURCE_LABEL } from "../../provider/values/labels";
import type { Settings } from "./args";
import type { Member } from "./children";
import type { TargetPeers, UnreachableCluster } from "./cluster-mesh";
import { findDrift, recognise } from "./drift";
import type { Sight } from "./observation";
import { knownValue } from "./unpublished/known";

/** What one peer set is told. */
export interface TargetPlan {
    /** By source cluster, a line each. */
    readonly peers: Record<string, string>;
    readonly repair?: Record<string, string>;
    readonly adopt?: Record<string, string>;
    readonly pending?: string;
}

export interface MeshPlan {
    readonly targets: Readonly<Record<string, TargetPlan>>;
    readonly peers: Record<string, TargetPeers>;
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
    readonly unreachable: readonly UnreachableCluster[];
    readonly capacity: Capacity;
    readonly graph: string;
    /** Nodes of which the last known facts are used, by cluster. */
    readonly kept: Readonly<Record<string, readonly string[]>>;
}

export interface PlanRun {
    readonly mesh: string;
    /** organization/project/stack/mesh. */
    readonly owner: string;
    readonly clusters: readonly { readonly name: string }[];
    readonly topology: Topology | undefined;
    readonly settings: pulumi.Output<Settings>;
    readonly specs: readonly pulumi.Output<ClusterSpec>[];
    readonly members: readonly Member[];
    readonly sight: Promise<Sight>;
}

/** What is known of one member; in a preview not all of it may be. */
export interface KnownMember {
    readonly nodes?: string | Readonly<Record<string, string>> | undefined;
    readonly claim?: string | undefined;
    readonly unreachableSince?: string | undefined;
}

export interface KnownRun extends Pick<PlanRun, "mesh" | "owner" | "clusters" | "topology"> {
    readonly settings: Pick<Settings, "adopt" | "peerWarning">;
    readonly specs: readonly ClusterSpec[];
    /** In the order of `clusters`. */
    readonly members: readonly KnownMember[];
    readonly sight: Sight;
}

/** Plans the whole mesh once all members are registered: their checks filled the gaps with what was known before. */
export async function planRun(run: PlanRun): Promise<MeshPlan> {
    const { mesh, owner, clusters, topology } = run;
    const sight = await run.sight;
    const settings = (await knownValue(run.settings)) ?? {};
    const specs = (await Promise.all(run.specs.map(knownValue))).filter((spec) => spec !== undefined);
    const members: KnownMember[] = [];
    for (const { nodes, claim, unreachableSince } of run.members) {
        members.push({
            nodes: await knownValue(nodes),
            claim: await knownValue(claim),
            unreachableSince: await knownValue(unreachableSince),
        });
    }
    return planKnown({ mesh, owner, clusters, topology, settings, specs, members, sight });
}

/** The same from plain values: pure but for the time at which a cluster is first found unreachable. */
export function planKnown(run: KnownRun): MeshPlan {
    const { sight, settings, specs } = run;
    const known = new Set(specs.map((spec) => spec.name));
    const facts: Record<string, readonly NodeFacts[]> = {};
    const claims: Record<string, string> = {};
    const since: Record<string, string> = {};
    for (const [index, { name }] of run.clusters.entries()) {
        const { nodes, claim, unreachableSince } = run.members[index]!;
        if (nodes === undefined) known.delete(name);
        else facts[name] = Object.entries(splitLines(nodes)).map(([node, line]) => decodeFacts(node, line));
        claims[name] = claim ?? "";
        if (unreachableSince !== undefined) since[name] = unreachableSince;
    }
    const discovered: Record<string, Readonly<Record<string, string>>> = {};
    const livePeers: Record<string, readonly KubePeer[]> = {};
    for (const [name, seen] of Object.entries(sight.clusters)) {
        if (!seen.reachable) continue;
        discovered[name] = seen.discovered;
        livePeers[name] = recognise(seen.peers, run.owner, claims[name] ?? "");
    }
    const plan = planFromFacts({
        mesh: run.mesh,
        claims,
        clusters: specs.filter((spec) => known.has(spec.name)),
        ...(run.topology === undefined ? {} : { topology: topologyAmong(run.topology, known) }),
        facts,
        discovered,
        livePeers,
        unresolvable: sight.unresolvable,
        ...(settings.adopt === undefined ? {} : { adopt: settings.adopt }),
        ...(settings.peerWarning === undefined ? {} : { peerWarning: settings.peerWarning }),
    });
    const targets: Record<string, TargetPlan> = {};
    const unreachable: UnreachableCluster[] = [];
    const kept: Record<string, readonly string[]> = {};
    for (const { name } of run.clusters) {
        const seen = sight.clusters[name];
        const peers = plan.peers[name] ?? {};
        const grouped = bySource(peers);
        if (seen === undefined) {
            targets[name] = { peers: grouped };
        } else if (!seen.reachable) {
            targets[name] = { peers: grouped, pending: seen.reason };
            unreachable.push({ cluster: name, reason: seen.reason, since: since[name] ?? new Date().toISOString() });
        } else {
            const repair = findDrift(peers, seen.peers, run.owner, claims[name] ?? "");
            const adopted = plan.adopted[name] ?? [];
            targets[name] = {
                peers: grouped,
                ...(Object.keys(repair).length === 0 ? {} : { repair }),
                ...(adopted.length === 0 ? {} : { adopt: adoptions(adopted, peers) }),
            };
            kept[name] = (facts[name] ?? []).map((node) => node.name).filter((node) => !(node in seen.nodes));
        }
    }
    return {
        targets,
        peers: Object.fromEntries(
            Object.entries(plan.peers).map(([name, peers]) => [
                name,
                { count: Object.keys(peers).length, names: Object.keys(peers) },
            ]),
        ),
        skipped: plan.skipped,
        issues: plan.issues,
        unreachable,
        capacity: plan.capacity,
        graph: plan.graph,
        kept,
    };
}

const adoptions = (names: readonly string[], planned: Readonly<Record<string, PlannedPeer>>): Record<string, string> =>
    Object.fromEntries(
        names.map((name) => [
            name,
            name in planned ? "will be taken over" : "will be taken over and deleted, the plan does not need it",
        ]),
    );

function bySource(peers: Readonly<Record<string, PlannedPeer>>): Record<string, string> {
    const grouped: Record<string, Record<string, string>> = {};
    for (const [name, peer] of Object.entries(peers)) {
        const source = peer.labels[SOURCE_LABEL] ?? "";
        grouped[source] ??= {};
        grouped[source][name] = encodePeer(peer);
    }
    return Object.fromEntries(Object.entries(grouped).map(([source, lines]) => [source, joinLines(lines)]));
}

/** What a preview does not know yet takes no part in it. */
const topologyAmong = (topology: Topology, known: ReadonlySet<string>): Topology => ({
    ...(topology.hubs === undefined ? {} : { hubs: topology.hubs.filter((hub) => known.has(hub)) }),
    ...(topology.links === undefined
        ? {}
        : { links: topology.links.filter(({ a, b }) => known.has(a) && known.has(b)) }),
});
