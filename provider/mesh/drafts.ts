import type { Network } from "./cidr";
import { issue } from "./issue";
import { leaderOrder } from "./leader";
import type { ClusterModel } from "./model";
import type { OverlapFinder } from "./network-index";
import { checkEndpoint, checkKey, checkWireguard, type NodeEndpoint } from "./node-check";
import type { PodLedger } from "./pod-ledger";
import { isPublicKey } from "./public-key";
import type { SegmentKind } from "./segment";
import { isRefusal, type Refusal, skip } from "./skip";
import { shown } from "./text";
import type { Issue, NodeFacts, SkippedNode } from "./types";

export interface NodeState {
    readonly node: NodeFacts;
    /** The nodeSelector wants its networks; a node that it does not want may still lead. */
    readonly selected: boolean;
    readonly pods: readonly Network[] | undefined;
    /** Its networks are carried: selected, and not refused so far. */
    carried: boolean;
}

/** What all nodes of a cluster share while they are judged. */
export interface Judging {
    readonly cluster: ClusterModel;
    readonly ledger: PodLedger;
    readonly anchorAround: OverlapFinder<Network>;
    /** Who holds each key of the whole mesh. */
    readonly keys: Map<string, string>;
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
    readonly route?: Network;
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
 * identity the next one does: right after a change of leader the new one has no WireGuard address yet (KILO.md §1), and
 * to take the location out of the mesh for that would be worse than a tunnel that is late.
 */
export function draftOfLocation(location: string, states: readonly NodeState[], judging: Judging): Draft | undefined {
    for (const state of states) {
        if (!state.carried) continue;
        const badKey = checkKey(state.node, judging.keys);
        if (badKey !== undefined) refuse(state, badKey, judging);
        else judging.keys.set(state.node.key ?? "", holderText(state, judging));
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

/** What Kilo asks of a leader, apart from being seen lately: a key and a pod CIDR (KILO.md §1). */
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

/** In the order of the table of DESIGN.md §5: WireGuard address, key, endpoint. */
function identityOf(state: NodeState, judging: Judging, isOwn: (holder: string) => boolean): Identity | Refusal {
    const { node, pods = [] } = state;
    const { cluster, ledger, wireguard, anchorAround } = judging;
    const address = checkWireguard(node, pods, cluster, ledger, wireguard);
    if (isRefusal(address)) return address;
    const isTaken = judging.keys.get(node.key ?? "") !== holderText(state, judging);
    const badKey = isTaken ? checkKey(node, judging.keys) : undefined;
    if (badKey !== undefined) return badKey;
    const endpoint = checkEndpoint(node, cluster, (host) => {
        if (address.route?.first === host.first) return address.route.text;
        const holder = ledger.holder(host);
        if (holder !== undefined && isOwn(holder)) return `the pod CIDR of ${shown(holder)}`;
        return anchorAround(host)?.text;
    });
    if (isRefusal(endpoint)) return endpoint;
    return { ...endpoint, ...address, key: node.key ?? "" };
}

function take(state: NodeState, { key, route }: Identity, judging: Judging): void {
    judging.keys.set(key, holderText(state, judging));
    if (route !== undefined) judging.wireguard.set(route.text, state.node.name);
}

function holderText({ node }: NodeState, { cluster }: Judging): string {
    return `${shown(node.name)} of ${shown(cluster.name)}`;
}
