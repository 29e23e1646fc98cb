import { readObservations } from "../kilo/observations";
import { adoptionOf, type LivePeer, type Peer, readPeer } from "../kilo/peer";
import { isUsableName, readNodes, uniqueByName } from "../kilo/read-nodes";
import type { NodeFacts } from "../kilo/types";
import { guarded, isRecord, list, own, text } from "../values/untrusted";
import { checkShape } from "./args/schema";
import { checkMesh, definedOnly, UNREADABLE } from "./args/validate";
import type { Knowledge } from "./knowledge";
import { isLabelValue } from "./names";
import { capacityOf } from "./report/capacity";
import { hasErrors, issue, sortIssues } from "./report/findings";
import { renderGraph } from "./report/graph";
import { type RunResult, run } from "./run";
import type { ClusterSpec, Issue, MeshSpec, Plan, PlanInput, PlanInputByName, PlannedPeer } from "./types";

/**
 * The whole plan from arguments, nodes and live peers as an API server returns them. It never throws: bad data from a
 * cluster costs the node that has it, bad arguments give issues and no peers.
 */
export function planMesh(input: PlanInput | PlanInputByName): Plan {
    return guarded(planUntrusted, input) ?? emptyPlan([UNREADABLE]);
}

function planUntrusted(input: unknown): Plan {
    const args = ["mesh", "clusters", "topology", "adopt", "peerWarning"] as const;
    const shape = checkShape(Object.fromEntries(args.map((key) => [key, own(input, key)])), false);
    const checked = checkMesh(shape.known, { allowSingle: true }, shape.broken);
    const claims = readClaims(own(input, "claims"));
    const issues = sortIssues([...shape.issues, ...checked.issues, ...claims.issues]);
    if (hasErrors(issues)) return emptyPlan(issues);

    const mesh = definedOnly(shape.known) as MeshSpec;
    const id = own(input, "meshId");
    const meshId = typeof id === "string" && isLabelValue(id) ? id : undefined;
    const found = run({
        mesh,
        networks: checked.networks,
        meshId,
        claims: claims.claims,
        knowledge: Object.fromEntries(mesh.clusters.flatMap((cluster) => knowledgeOf(cluster, input))),
        lastKnown: Object.fromEntries(
            mesh.clusters.map(({ name }) => [name, readLastKnown(own(own(input, "lastKnown"), name))]),
        ),
        unresolvable: list(own(input, "unresolvable")).filter((name) => typeof name === "string"),
        resolved: texts(own(input, "resolved")),
    });
    return planOf(found);
}

function planOf(found: RunResult): Plan {
    const peers = Object.entries(found.targets).map(([target, { peers, labels: labelsOf }]) => {
        const planned: Record<string, PlannedPeer> = {};
        for (const [source, ofSource] of peers) {
            const labels = labelsOf.get(source)!;
            for (const [name, peer] of ofSource) planned[name] = plannedPeer(labels, peer);
        }
        return [target, planned] as const;
    });
    const { facts, skipped, issues, capacity, graph } = found;
    return { peers: Object.fromEntries(peers), facts, skipped, issues, capacity, graph };
}

const plannedPeer = (labels: PlannedPeer["labels"], peer: Peer): PlannedPeer =>
    peer.configured === undefined
        ? { labels, spec: peer.spec }
        : { labels, annotations: adoptionOf(peer), spec: peer.spec };

export function emptyPlan(issues: readonly Issue[]): Plan {
    const capacity = capacityOf([]);
    return { peers: {}, facts: {}, skipped: [], issues, capacity, graph: renderGraph("", [], []) };
}

/** A cluster that `nodes` does not name was not seen. */
function knowledgeOf(cluster: ClusterSpec, input: unknown): readonly (readonly [string, Knowledge])[] {
    const { name } = cluster;
    const given = own(own(input, "nodes"), name);
    if (given === undefined) return [];
    const nodes = list(given);
    const now = own(input, "now");
    const clock = typeof now === "number" ? now : guarded((clocks) => own(clocks, name), now);
    const peers = list(own(own(input, "livePeers"), name)).flatMap((peer): LivePeer[] => {
        const read = guarded(readPeer, peer);
        return read === undefined ? [] : [read];
    });
    const seen: Knowledge = {
        state: "seen",
        nodes: readNodes(nodes, cluster, typeof clock === "number" ? clock : undefined),
        peers,
        observed: readObservations(nodes),
    };
    return [[name, seen]];
}

/** A claim is written as a label on every object: one that cannot be a label would make every write fail. */
function readClaims(claims: unknown): { readonly claims: Record<string, string>; readonly issues: readonly Issue[] } {
    const read: Record<string, string> = {};
    const issues: Issue[] = [];
    for (const [target, claim] of Object.entries(isRecord(claims) ? claims : {})) {
        if (typeof claim === "string" && (claim === "" || isLabelValue(claim))) read[target] = claim;
        else if (claim !== undefined) issues.push(issue("ClaimInvalid", { claim, target }));
    }
    return { claims: read, issues };
}

const LISTS = ["podCIDRs", "internalIPs", "externalIPs"] as const;
const TEXTS = [
    "uid",
    "key",
    "wireguardIP",
    "kiloInternalIP",
    "granularity",
    "location",
    "clustermeshEndpoint",
    "forceEndpoint",
    "kiloEndpoint",
] as const;
const FLAGS = ["noInternalIP", "leader", "unselected", "ignored", "dials"] as const;
const LONGEST = 300;
const MOST = 64;

/** From a caller's state, but typed and bounded like what a cluster says: an older version may have written anything. */
function readLastKnown(facts: unknown): readonly NodeFacts[] {
    return uniqueByName(list(facts).flatMap((node) => guarded(readFacts, node) ?? []));
}

function readFacts(node: unknown): readonly NodeFacts[] {
    const name = own(node, "name");
    if (!isUsableName(name)) return [];
    const lists = LISTS.map((field) => {
        const values = list(own(node, field)).slice(0, MOST);
        return [field, values.flatMap((value) => text(value, LONGEST) ?? [])] as const;
    });
    const single = TEXTS.flatMap((field) => {
        const value = text(own(node, field), LONGEST);
        return value === undefined ? [] : [[field, value] as const];
    });
    const flags = FLAGS.flatMap((field) => (own(node, field) === true ? [[field, true] as const] : []));
    return [{ name, ...Object.fromEntries([...lists, ...single, ...flags]) } as unknown as NodeFacts];
}

function texts(value: unknown): Record<string, string> {
    const entries = Object.entries(isRecord(value) ? value : {});
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
