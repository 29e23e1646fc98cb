import type { NodeFacts } from "../../kilo/types";
import { addressOf, type Range } from "../../net/address";
import { byRange, hostRoute, type Network } from "../../net/cidr";
import { type Owned, overlapFinder } from "../../net/overlaps";
import { byText, count, few, shown } from "../../values/show";
import { configBytes } from "../report/capacity";
import { issue } from "../report/findings";
import type { Issue, SkippedNode } from "../types";
import type { ClusterModel } from "./cluster-model";
import { type Draft, draftOfLocation, draftOfNode, type Judging, type NodeState, refuse } from "./identity";
import { checkPods, type KeyHolder, podNetworks, wireguardRoute } from "./node-check";
import { podLedger } from "./pod-owners";
import { type Carried, keepaliveOf, ownNetworks, peerSpec, type Segment, segmentNames } from "./segment";

export interface ClusterSegments {
    /** In the order of their names. */
    readonly segments: readonly Segment[];
    /** Cluster-wide networks: they ride on the first segment that is valid in a target. */
    readonly anchors: readonly Network[];
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
    /** What the nodes themselves use of networks that other clusters declare, whether they are in the mesh or not. */
    readonly used: readonly Owned<NetworkUser>[];
    /** Some segment could have to yield its ordinary name. */
    readonly hasOddNames: boolean;
    /** How many segments Kilo itself makes of the cluster, ours or not. */
    readonly kiloSegments: number;
}

/** Who uses a network in a target. */
export interface NetworkUser {
    readonly kind: "node" | "peer";
    readonly name: string;
}

/** Segments of one cluster from the facts of its nodes. `keys` is filled cluster by cluster, in the order of names. */
export function clusterSegments(
    mesh: string,
    cluster: ClusterModel,
    facts: readonly NodeFacts[],
    keys: Map<string, KeyHolder>,
    isDeclared: (network: Range) => boolean,
): ClusterSegments {
    const states = facts.map((node): NodeState => {
        const selected = node.unselected !== true;
        return { node, selected, pods: podNetworks(node), wireguard: wireguardRoute(node), carried: selected };
    });
    const anchors = (cluster.flat ? uncovered(cluster, states) : [...cluster.shared]).sort(byRange);
    const judging: Judging = {
        cluster,
        ledger: podLedger(states.flatMap(({ pods }) => pods ?? [])),
        anchorAround: overlapFinder(anchors.map((network) => ({ network, owner: network }))),
        keys,
        wireguard: new Map(),
        skipped: [],
        issues: [],
    };
    for (const state of states) judgePods(state, judging);
    const locations = byLocation(states);
    const drafts: Draft[] = [];
    for (const state of states) {
        const draft = state.carried && !isInLocation(state.node) ? draftOfNode(state, judging) : undefined;
        if (draft !== undefined) drafts.push(draft);
    }
    for (const [location, group] of locations) {
        const draft = draftOfLocation(location, group, judging);
        if (draft !== undefined) drafts.push(draft);
    }
    const segments = finish(mesh, drafts, judging);
    return {
        segments,
        hasOddNames: segments.some(({ otherName }) => otherName !== undefined),
        anchors,
        skipped: judging.skipped,
        issues: [...judging.issues, ...nodeIssues(cluster, states)],
        used: usedByNodes(cluster, states, isDeclared),
        kiloSegments: states.filter(({ node }) => !isInLocation(node)).length + locations.length,
    };
}

/** Kilo makes one segment per location of the nodes that have an internal IP (docs/kilo.md: granularity). */
function isInLocation(node: NodeFacts): boolean {
    return node.granularity === "location" && node.noInternalIP !== true;
}

function byLocation(states: readonly NodeState[]): readonly (readonly [string, readonly NodeState[]])[] {
    const groups = new Map<string, NodeState[]>();
    for (const state of states) {
        if (!isInLocation(state.node)) continue;
        const location = state.node.location ?? "";
        const group = groups.get(location);
        if (group === undefined) groups.set(location, [state]);
        else group.push(state);
    }
    return [...groups].sort(([a], [b]) => byText(a, b));
}

/** In the flat form, the entries that no node covers: judged by all nodes, so that a skipped one moves nothing. */
function uncovered(cluster: ClusterModel, states: readonly NodeState[]): Network[] {
    const covered = new Set<Network | undefined>();
    for (const { pods, wireguard } of states) {
        for (const network of pods ?? []) covered.add(cluster.podRange(network));
        if (wireguard !== undefined) covered.add(cluster.podRange(wireguard));
    }
    return cluster.shared.filter((network) => !covered.has(network));
}

/**
 * A route to what a node of the target uses itself takes that node down (docs/kilo.md: routes replace what is there).
 * What lies in the target's own networks is in nobody else's, and what nobody declares is in no peer, so neither need
 * be remembered.
 */
function usedByNodes(
    cluster: ClusterModel,
    states: readonly NodeState[],
    isDeclared: (network: Range) => boolean,
): readonly Owned<NetworkUser>[] {
    const used: Owned<NetworkUser>[] = [];
    const add = (network: Range, name: string): void => {
        if (cluster.holder(network) !== undefined || !isDeclared(network)) return;
        used.push({ network, owner: { kind: "node", name } });
    };
    for (const { node, pods = [], wireguard } of states) {
        for (const network of pods) add(network, node.name);
        if (wireguard !== undefined) add(wireguard, node.name);
        for (const text of addressesOf(node)) {
            const address = addressOf(text);
            if (address !== undefined) add(address, node.name);
        }
    }
    return used;
}

function addressesOf({ internalIPs, kiloInternalIP, externalIPs }: NodeFacts): readonly string[] {
    const known = kiloInternalIP === undefined || internalIPs.includes(kiloInternalIP);
    const internal = known ? internalIPs : [...internalIPs, kiloInternalIP];
    return externalIPs.length === 0 ? internal : [...internal, ...externalIPs];
}

function judgePods(state: NodeState, judging: Judging): void {
    if (!state.selected) return;
    const found = checkPods(state.node, state.pods, judging.cluster, judging.ledger);
    if (found !== undefined) refuse(state, found, judging);
    else for (const network of state.pods ?? []) judging.ledger.add(network, state.node.name);
}

const NONE: readonly Network[] = [];

function finish(mesh: string, drafts: readonly Draft[], { cluster }: Judging): readonly Segment[] {
    const addresses = nodeAddresses(cluster, drafts);
    const segments = drafts.map(({ kind, lender, identity, members }): Segment => {
        const { key, endpoint, route, pinned } = identity;
        const { name, otherName } = segmentNames(mesh, cluster.name, kind);
        const carried = members.map(({ node, pods }): Carried => {
            return { node: node.name, pods: pods ?? [], addresses: addresses.get(node.name) ?? NONE };
        });
        const keepalive = keepaliveOf(cluster.spec, endpoint);
        const texts = ownNetworks(carried, route).map(({ text }) => text);
        const spec = peerSpec(key, texts, endpoint, keepalive);
        return {
            cluster,
            name,
            otherName,
            lender,
            key,
            endpoint,
            movable: !pinned && cluster.spec.discoveredEndpoints !== false,
            keepalive,
            carried,
            wireguard: route,
            hasAddresses: carried.some((node) => node.addresses.length > 0),
            spec,
            bytes: configBytes(spec),
        };
    });
    return segments.sort((a, b) => byText(a.name, b.name) || byText(a.otherName ?? "", b.otherName ?? ""));
}

/** Host routes of the nodes' addresses inside nodeCIDRs. Of two nodes with one address, the first by name has it. */
function nodeAddresses({ nodeRange }: ClusterModel, drafts: readonly Draft[]): ReadonlyMap<string, readonly Network[]> {
    const given = new Map<string, readonly Network[]>();
    if (nodeRange === undefined) return given;
    const taken = new Set<string>();
    const nodes = drafts.flatMap(({ members }) => members.map(({ node }) => node));
    for (const node of nodes.sort((a, b) => byText(a.name, b.name))) {
        const found: Network[] = [];
        for (const text of addressesOf(node)) {
            const address = addressOf(text);
            if (address === undefined || taken.has(address.text)) continue;
            const route = hostRoute(address);
            if (nodeRange(route) === undefined) continue;
            taken.add(address.text);
            found.push(route);
        }
        given.set(node.name, found);
    }
    return given;
}

const GRANULARITIES: ReadonlySet<string | undefined> = new Set(["full", "cross", "location"]);

function nodeIssues(cluster: ClusterModel, states: readonly NodeState[]): readonly Issue[] {
    const carried = states.filter((state) => state.carried).map(({ node }) => node);
    const stale = carried.filter((node) => node.stale === true);
    const unknown = carried.filter((node) => !GRANULARITIES.has(node.granularity));
    const names = (nodes: readonly NodeFacts[]) => few(nodes.map(({ name }) => shown(name)));
    return [
        ...(stale.length === 0
            ? []
            : [
                  issue(
                      "warning",
                      "NodeStale",
                      cluster.name,
                      `${count(stale.length, "node")} of ${shown(cluster.name)} (${names(stale)}) not seen by Kilo for ` +
                          "a minute or more; their peers are kept",
                      "look at the Kilo pods there; if every node is listed, compare the clocks",
                  ),
              ]),
        ...(unknown.length === 0
            ? []
            : [
                  issue(
                      "info",
                      "GranularityUnknown",
                      cluster.name,
                      `${count(unknown.length, "node")} of ${shown(cluster.name)} (${names(unknown)}) without a known ` +
                          "kilo.squat.ai/granularity: one peer per node",
                      "nothing, if Kilo runs there with full granularity; otherwise look why it did not annotate them",
                  ),
              ]),
    ];
}
