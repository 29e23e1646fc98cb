import { leaderOrder } from "../../kilo/leader";
import { isPublicKey } from "../../kilo/public-key";
import type { NodeFacts } from "../../kilo/types";
import { hostRoute, type Network } from "../../net/cidr";
import type { OverlapFinder } from "../../net/overlaps";
import { shown } from "../../values/show";
import { issue } from "../report/findings";
import { isRefusal, type Refusal, skip } from "../report/skip";
import type { Issue, SkippedNode } from "../types";
import type { ClusterModel } from "./cluster-model";
import { checkEndpoint, checkKey, checkWireguard, type KeyHolder, type NodeEndpoint } from "./node-check";
import type { PodLedger } from "./pod-owners";
import type { SegmentKind } from "./segment";

export interface NodeState {
    readonly node: NodeFacts;
    /** The nodeSelector wants its networks; a node that it does not want may still lead. */
    readonly selected: boolean;
    readonly pods: readonly Network[] | undefined;
    /** Its WireGuard address, if it has one that can be read. */
    readonly wireguard: Network | undefined;
    /** Its networks are carried: selected, and not refused so far. */
    carried: boolean;
}

/** What all nodes of a cluster share while they are judged. */
export interface Judging {
    readonly cluster: ClusterModel;
    readonly ledger: PodLedger;
    readonly anchorAround: OverlapFinder<Network>;
    /** Who holds each key of the whole mesh. */
    readonly keys: Map<string, KeyHolder>;
    readonly wireguard: Map<string, string>;
    readonly skipped: SkippedNode[];
    readonly issues: Issue[];
}

/** A segment whose identity is settled. */
export interface Draft {
    readonly kind: SegmentKind;
    readonly lender: string;
    readonly identity: Identity;
    readonly members: readonly NodeState[];
}

interface Identity extends NodeEndpoint {
    readonly key: string;
    readonly route: Network | undefined;
}

export function refuse(state: NodeState, found: Refusal, { cluster, skipped }: Judging): void {
    if (state.carried) skipped.push(skip(cluster.name, state.node.name, found));
    state.carried = false;
}

export function draftOfNode(state: NodeState, judging: Judging): Draft | undefined {
    const { node } = state;
    const identity = identityOf(state, judging, (holder) => holder === node.name);
    if (isRefusal(identity)) {
        refuse(state, identity, judging);
        return undefined;
    }
    take(state, identity, judging);
    return { kind: { node: node.name }, lender: node.name, identity, members: [state] };
}

/**
 * One segment for the location, with the identity of the node that Kilo lets lead. Where that node cannot lend its
 * identity the next one does: right after a change of leader the new one has no WireGuard address yet (docs/kilo.md:
 * WireGuard addresses lag), and to take the location out of the mesh for that would be worse than a tunnel that is
 * late.
 */
export function draftOfLocation(location: string, states: readonly NodeState[], judging: Judging): Draft | undefined {
    for (const state of states) {
        if (!state.carried) continue;
        const badKey = checkKey(state.node, judging.cluster, judging.keys);
        if (badKey !== undefined) refuse(state, badKey, judging);
        else takeKey(state, judging);
    }
    const byName = new Map(states.map((state) => [state.node.name, state]));
    const failed = new Map<NodeState, Refusal>();
    for (const node of leaderOrder(states.filter(couldLead).map((state) => state.node))) {
        const state = byName.get(node.name)!;
        const identity = identityOf(state, judging, (holder) => byName.get(holder)?.carried === true);
        if (isRefusal(identity)) {
            failed.set(state, identity);
            // without a WireGuard address it cannot lead, but its pods are there all the same
            if (identity.reason === "NodeEndpointInvalid") refuse(state, identity, judging);
            continue;
        }
        const members = states.filter(({ carried }) => carried);
        if (members.length === 0) return undefined;
        take(state, identity, judging);
        judging.issues.push(...standIn(location, state, failed, judging));
        return { kind: { location }, lender: node.name, identity, members };
    }
    for (const [state, found] of failed) refuse(state, found, judging);
    return undefined;
}

/**
 * What Kilo asks of a leader, apart from being seen lately: a key and a pod CIDR (docs/kilo.md: ready for 60 seconds).
 */
function couldLead({ node, pods }: NodeState): boolean {
    return pods !== undefined && node.key !== undefined && isPublicKey(node.key);
}

function standIn(
    location: string,
    { node }: NodeState,
    failed: ReadonlyMap<NodeState, Refusal>,
    { cluster }: Judging,
): readonly Issue[] {
    const [first] = failed;
    if (first === undefined) return [];
    const [leader, { message }] = first;
    return [
        issue(
            "warning",
            "LeaderCannotLend",
            `${cluster.name}/${node.name}`,
            `${shown(leader.node.name)} leads location ${shown(location)} of ${shown(cluster.name)} but ${message}: ` +
                `${shown(node.name)} stands in for it, and may not answer`,
            "run again in a minute; Kilo writes the address of a new leader within 30 seconds",
        ),
    ];
}

/** Checked in this order, and the first refusal is reported: WireGuard address, key, endpoint. */
function identityOf(state: NodeState, judging: Judging, isOwn: (holder: string) => boolean): Identity | Refusal {
    const { node, pods = [] } = state;
    const { cluster, ledger, wireguard, anchorAround, keys } = judging;
    const route = checkWireguard(node, state.wireguard, pods, cluster, ledger, wireguard);
    if (route !== undefined && isRefusal(route)) return route;
    const badKey = checkKey(node, cluster, keys);
    if (badKey !== undefined) return badKey;
    const found = checkEndpoint(node, cluster, (host) => {
        if (route?.first === host.first) return route.text;
        const among = cluster.podRange(host) === undefined ? undefined : ledger.holder(hostRoute(host));
        if (among !== undefined && isOwn(among)) return `the pod CIDR of ${shown(among)}`;
        return anchorAround(host)?.text;
    });
    if (isRefusal(found)) return found;
    return { endpoint: found.endpoint, pinned: found.pinned, key: node.key ?? "", route };
}

function take(state: NodeState, { route }: Identity, judging: Judging): void {
    takeKey(state, judging);
    if (route !== undefined) judging.wireguard.set(route.text, state.node.name);
}

function takeKey({ node }: NodeState, { cluster, keys }: Judging): void {
    if (node.key !== undefined) keys.set(node.key, { node: node.name, cluster: cluster.name });
}
