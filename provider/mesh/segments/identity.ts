import { isFresh, type LeaderHints, leaderOrder } from "../../kilo/leader";
import { isSetUp } from "../../kilo/public-key";
import type { KnownNode } from "../../kilo/types";
import type { Address } from "../../net/address";
import { hostRoute, type Network } from "../../net/cidr";
import type { OverlapFinder } from "../../net/overlaps";
import { shown } from "../../values/show";
import { issue } from "../report/findings";
import { isRefusal, type Refusal, refusal, skip } from "../report/skip";
import type { Issue, SkippedNode } from "../types";
import type { ClusterModel } from "./cluster-model";
import type { KeyHolder } from "./contested-keys";
import type { Holdings } from "./holdings";
import { checkEndpoint, checkKey, checkWireguard, type NodeEndpoint, WITHOUT_ENDPOINT } from "./node-check";
import type { PodOwners } from "./pod-owners";
import { type IdentityProblem, type SegmentKind, segmentNames } from "./segment";

export interface NodeState {
    readonly node: KnownNode;
    /** Its networks are wanted; a node whose are not may still lead, unless it is excluded. */
    readonly selected: boolean;
    readonly excluded: boolean;
    /** None where it has none, or one cannot be read. */
    readonly pods: readonly Network[];
    /** Its WireGuard address, if it has one that can be read. */
    readonly wireguard: Network | undefined;
    /** Its networks are carried: selected, and not refused so far. */
    carried: boolean;
}

/** What all nodes of a cluster share while they are judged. */
export interface Judging {
    readonly mesh: string;
    readonly cluster: ClusterModel;
    readonly owners: PodOwners;
    readonly anchorAround: OverlapFinder<Network>;
    /** A network of any cluster that is reached through a tunnel. */
    readonly tunnelAround: (address: Address) => string | undefined;
    /** Who holds each key of the whole mesh. */
    readonly keys: Map<string, KeyHolder>;
    /** Whether several nodes have this WireGuard address. */
    readonly isClaimedTwice: (node: KnownNode, route: Network) => boolean;
    readonly holdings: Holdings;
    readonly resolved: Readonly<Record<string, string>>;
    readonly skipped: SkippedNode[];
    readonly issues: Issue[];
    /** Nodes without a WireGuard address to advertise, with the reason. */
    readonly unaddressed: string[];
    /** Locations whose leader would be another one if facts that are missing now were there. */
    readonly unsettled: string[];
}

/** A segment whose identity is settled as far as it can be. */
export interface Draft {
    readonly kind: SegmentKind;
    readonly lender: KnownNode;
    readonly identity: Identity;
    readonly members: readonly NodeState[];
    /** Kilo lets an excluded node lead: whoever lends the identity does not hold the tunnel. */
    readonly cutOff?: boolean;
}

interface Identity extends NodeEndpoint {
    readonly key: string;
    readonly route: Network | undefined;
    readonly problem?: IdentityProblem | undefined;
}

export function refuse(
    state: NodeState,
    found: Refusal,
    { cluster, skipped }: Pick<Judging, "cluster" | "skipped">,
): void {
    skipped.push(skip(cluster.name, state.node.name, found));
    state.carried = false;
}

/** The names under which a segment may be known. */
export function namesOf(kind: SegmentKind, { mesh, cluster }: Pick<Judging, "mesh" | "cluster">): readonly string[] {
    const { name, otherName } = segmentNames(mesh, cluster.name, kind);
    return otherName === undefined ? [name] : [name, otherName];
}

export function draftOfNode(state: NodeState, judging: Judging): Draft {
    const { node } = state;
    const kind = { node: node.name };
    const identity = identityOf(state, judging, (holder) => holder === node.name);
    if (identity.problem === undefined || isKnownBy(node, identity.problem, namesOf(kind, judging), judging)) {
        takeKey(state, judging);
    } else leaveKey(state, judging);
    return { kind, lender: node, identity, members: [state] };
}

/**
 * One segment for the location, with the identity of the node that Kilo lets lead. Where that node cannot lend its
 * identity the next one does, unless a target knows the location by that very node: then its peer is kept.
 */
export function draftOfLocation(location: string, states: readonly NodeState[], judging: Judging): Draft | undefined {
    const kind = { location };
    const names = namesOf(kind, judging);
    for (const state of states) if (state.carried) judgeKey(state, names, judging);
    const byName = new Map(states.map((state) => [state.node.name, state]));
    const leaders = states.filter(couldLead).map((state) => state.node);
    const incumbent = leaders.some((node) => !isFresh(node)) ? judging.holdings.keyOf(names) : undefined;
    const order = leaderOrder(leaders, { resolved: judging.resolved, incumbent });
    const members = states.filter(({ carried }) => carried);
    if (members.length === 0) return undefined;
    if (isUnsettled(leaders, order[0], judging)) judging.unsettled.push(location);
    const excluded = excludedLeader(states, { resolved: judging.resolved, incumbent });
    const cutOff = excluded !== undefined;
    if (cutOff) judging.issues.push(...leaderExcluded(location, excluded, members, order[0], judging));
    const isOwn = (holder: string): boolean => byName.get(holder)?.carried === true;
    let failed: { readonly lender: KnownNode; readonly identity: Identity; readonly why: string } | undefined;
    for (const node of order) {
        const state = byName.get(node.name)!;
        const identity = identityOf(state, judging, isOwn);
        const { problem } = identity;
        if (problem !== undefined && !isKnownBy(node, problem, names, judging)) {
            failed ??= { lender: node, identity, why: problem.refusal.message };
            continue;
        }
        takeKey(state, judging);
        if (failed !== undefined) {
            const { lender, why } = failed;
            const where = { cluster: judging.cluster.name, location };
            judging.issues.push(issue("LeaderCannotLend", { ...where, node: node.name, leader: lender.name, why }));
        }
        if (!cutOff) judging.issues.push(...moved(location, node, states, judging));
        return { kind, lender: node, identity, members, cutOff };
    }
    const first = members[0]!;
    const lender = failed?.lender ?? first.node;
    return { kind, lender, identity: failed?.identity ?? identityOf(first, judging, isOwn), members, cutOff };
}

/** Its endpoint is no good now, but targets know the segment by its key: there its peer is kept. */
function isKnownBy(
    { key }: KnownNode,
    problem: IdentityProblem,
    names: readonly string[],
    { holdings }: Judging,
): boolean {
    return problem.of === "endpoint" && holdings.keyOf(names) === key;
}

/** A node of a location needs a key before Kilo counts it in; one whose networks are routed already stays. */
function judgeKey(state: NodeState, names: readonly string[], judging: Judging): void {
    const { node, pods } = state;
    const found = checkKey(node, judging.cluster, judging.keys);
    if (found === undefined) takeKey(state, judging);
    else if (!pods.some(({ text }) => judging.holdings.has(names, text))) refuse(state, found, judging);
}

/** One that Kilo could let lead, and whose key may be used. */
const couldLead = (state: NodeState): boolean => !state.excluded && couldLeadInside(state);

/** What Kilo asks of a leader, apart from being seen lately: a key and a pod CIDR (docs/kilo.md: ready for 60 seconds). */
function couldLeadInside({ node, pods }: NodeState): boolean {
    return pods.length > 0 && isSetUp(node);
}

/** Kilo knows nothing of our arguments: inside its cluster an excluded node goes on leading. */
function excludedLeader(states: readonly NodeState[], hints: LeaderHints): KnownNode | undefined {
    if (!states.some(({ excluded }) => excluded)) return undefined;
    const inside = states.filter(couldLeadInside);
    const [leader] = leaderOrder(
        inside.map(({ node }) => node),
        hints,
    );
    return inside.find(({ node }) => node === leader)?.excluded === true ? leader : undefined;
}

function leaderExcluded(
    location: string,
    { name: leader }: KnownNode,
    members: readonly NodeState[],
    next: KnownNode | undefined,
    { cluster }: Judging,
): readonly Issue[] {
    // what Kilo leaves out is not reached for another reason, which is said
    const nodes = members.filter(({ node }) => isFresh(node)).map(({ node }) => node.name);
    if (nodes.length === 0) return [];
    return [issue("LeaderExcluded", { cluster: cluster.name, location, leader, nodes, next: next?.name })];
}

/** Whether annotations that are missing now are all that keeps a node from leading. */
function isUnsettled(leaders: readonly KnownNode[], chosen: KnownNode | undefined, { resolved }: Judging): boolean {
    if (!leaders.some(({ kept }) => kept !== undefined)) return false;
    const [usual] = leaderOrder(
        leaders.map(({ kept: _, ...node }) => node),
        { resolved },
    );
    return usual!.name !== chosen!.name;
}

/** The peer of the location follows, and a preview should say why. */
function moved(location: string, { key, name }: KnownNode, states: readonly NodeState[], judging: Judging): Issue[] {
    const { cluster, holdings } = judging;
    const before = holdings.keyOf(namesOf({ location }, judging));
    if (before === undefined || before === key) return [];
    const from = states.find(({ node }) => node.key === before)?.node.name;
    // the same node with a new key, or one that is gone: its own change says it
    return from === undefined ? [] : [issue("LeaderMoved", { cluster: cluster.name, location, from, to: name })];
}

/** WireGuard address, key and endpoint. What is wrong with the first costs its own route only. */
function identityOf(state: NodeState, judging: Judging, isOwn: (holder: string) => boolean): Identity {
    const { node, pods } = state;
    const { cluster, keys } = judging;
    const found = checkWireguard(node, state.wireguard, pods, judging);
    if (typeof found === "string") judging.unaddressed.push(`${shown(node.name)} (${found})`);
    const route = typeof found === "string" ? undefined : found;
    const key = node.key ?? "";
    const badKey = checkKey(node, cluster, keys);
    const configured = checkEndpoint(node, cluster);
    const reached = isRefusal(configured) ? configured : outsideTunnels(configured, route, judging, isOwn);
    const { endpoint, pinned } = isRefusal(reached) ? WITHOUT_ENDPOINT : reached;
    const badEndpoint = isRefusal(reached) ? reached : undefined;
    const problem: IdentityProblem | undefined =
        badKey !== undefined
            ? { of: "key", refusal: badKey }
            : badEndpoint !== undefined
              ? { of: "endpoint", refusal: badEndpoint }
              : undefined;
    return { endpoint, pinned, key, route, problem };
}

/** No tunnel can lead to its own end. */
function outsideTunnels(
    configured: NodeEndpoint,
    route: Network | undefined,
    judging: Judging,
    isOwn: (holder: string) => boolean,
): NodeEndpoint | Refusal {
    const { endpoint } = configured;
    const loop = endpoint?.address && tunnelTo(endpoint.address, route, judging, isOwn);
    if (endpoint === undefined || loop === undefined) return configured;
    const message = `its endpoint ${endpoint.text} lies inside ${loop}, which is reached through a tunnel`;
    return refusal("NodeEndpointInvalid", message);
}

/** The network that leads into a tunnel and holds the address, if there is one. */
function tunnelTo(
    host: Address,
    route: Network | undefined,
    { cluster, owners, anchorAround, tunnelAround }: Judging,
    isOwn: (holder: string) => boolean,
): string | undefined {
    const around = tunnelAround(host);
    if (around !== undefined) return around;
    if (route?.first === host.first) return route.text;
    const among = cluster.podRange(host) === undefined ? undefined : owners.holder(hostRoute(host));
    if (among !== undefined && isOwn(among)) return `the pod CIDR of ${shown(among)}`;
    return anchorAround(host)?.text;
}

/** Its key has been checked. */
function takeKey({ node }: NodeState, { cluster, keys }: Judging): void {
    keys.set(node.key!, { node: node.name, cluster: cluster.name });
}

/** One that no target knows is skipped, and holds its key against nobody. */
function leaveKey({ node }: NodeState, { cluster, keys }: Judging): void {
    const { key = "" } = node;
    const holder = keys.get(key);
    if (holder?.cluster === cluster.name && holder.node === node.name && !holder.reserved) keys.delete(key);
}
