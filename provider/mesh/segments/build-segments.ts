import { isInLocation } from "../../kilo/kilo-segments";
import { isFresh, isKept } from "../../kilo/leader";
import type { KnownNode, NodeFacts } from "../../kilo/types";
import { type Address, addressOf, type Range } from "../../net/address";
import { byRange, hostRoute, type Network } from "../../net/cidr";
import { type Owned, overlapFinder } from "../../net/overlaps";
import { byText } from "../../values/show";
import { configBytes } from "../report/capacity";
import { nodeIssues } from "../report/node-issues";
import type { Issue, SkippedNode } from "../types";
import type { ClusterModel } from "./cluster-model";
import type { KeyHolder } from "./contested-keys";
import { type Holdings, mostCommon } from "./holdings";
import { type Draft, draftOfLocation, draftOfNode, type Judging, type NodeState, namesOf } from "./identity";
import { podNetworks, wireguardRoute } from "./node-check";
import { type Carried, keepaliveOf, kindOf, ownNetworks, peerSpec, type Segment, segmentNames } from "./segment";
import { giveOutKeys, giveOutPods } from "./seniority";

export interface ClusterSegments {
    /** In the order of their names. */
    readonly segments: readonly Segment[];
    /** Cluster-wide networks: they ride on one segment in each target. */
    readonly anchors: readonly Network[];
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
    /** What the nodes themselves use of networks that other clusters declare, whether they are in the mesh or not. */
    readonly used: readonly Owned<NetworkUser>[];
    /** Some segment could have to yield its ordinary name. */
    readonly hasOddNames: boolean;
    /** How many segments Kilo itself makes of the cluster, ours or not. */
    readonly kiloSegments: number;
    /** Locations whose leader would be another one if facts that are missing now were there. */
    readonly unsettled: readonly string[];
}

/** Who uses a network in a target. */
export interface NetworkUser {
    readonly kind: "node" | "peer";
    readonly name: string;
}

/** What the clusters of a mesh share while their segments are built, in the order of their names. */
export interface MeshContext {
    readonly mesh: string;
    /** Filled cluster by cluster. */
    readonly keys: Map<string, KeyHolder>;
    readonly isDeclared: (network: Range) => boolean;
    readonly tunnelAround: (address: Address) => string | undefined;
    readonly resolved: Readonly<Record<string, string>>;
}

export function clusterSegments(
    cluster: ClusterModel,
    nodes: readonly KnownNode[],
    holdings: Holdings,
    context: MeshContext,
): ClusterSegments {
    const states = nodeStates(cluster, nodes);
    const anchors = (cluster.flat ? uncovered(cluster, states) : [...cluster.shared]).sort(byRange);
    const unowned: Omit<Judging, "owners"> = {
        ...context,
        cluster,
        anchorAround: overlapFinder(anchors.map((network) => ({ network, owner: network }))),
        isClaimedTwice: wireguardClaims(states),
        holdings,
        skipped: [],
        issues: [],
        unaddressed: [],
        unsettled: [],
    };
    const judging: Judging = { ...unowned, owners: giveOutPods(states, unowned) };
    const locations = byLocation(states);
    giveOutKeys(states, judging);
    const drafts = states
        .filter(({ node, carried }) => carried && !isInLocation(node))
        .map((state) => draftOfNode(state, judging));
    for (const [location, group] of locations) {
        const draft = draftOfLocation(location, group, judging);
        if (draft !== undefined) drafts.push(draft);
    }
    const segments = finish(drafts, judging);
    return {
        segments,
        hasOddNames: segments.some(({ otherName }) => otherName !== undefined),
        anchors,
        skipped: judging.skipped,
        issues: [...judging.issues, ...nodeIssues(cluster, states, judging.unaddressed)],
        used: usedByNodes(cluster, states, context.isDeclared),
        kiloSegments: states.filter(({ node }) => !isInLocation(node)).length + locations.length,
        unsettled: judging.unsettled,
    };
}

function nodeStates(cluster: ClusterModel, nodes: readonly KnownNode[]): readonly NodeState[] {
    const excludes = new Set(cluster.spec.excludeNodes ?? []);
    const usual = nodes.some(isBare) ? mostCommon(nodes.flatMap(({ granularity }) => granularity ?? [])) : undefined;
    return nodes.map((found): NodeState => {
        // of a node that Kilo has not annotated yet nothing says that it is alone
        const node = isBare(found) && usual !== undefined ? { ...found, granularity: usual } : found;
        const excluded = excludes.has(node.name);
        const selected = !excluded && node.unselected !== true && node.ignored !== true;
        return {
            node,
            selected,
            excluded,
            pods: podNetworks(node),
            wireguard: wireguardRoute(node),
            carried: selected,
        };
    });
}

const isBare = ({ key, granularity }: NodeFacts): boolean => key === undefined && granularity === undefined;

/** Whether several nodes have the address. One that is merely remembered yields to a node that says it has it. */
function wireguardClaims(states: readonly NodeState[]): (node: KnownNode, route: Network) => boolean {
    const said = new Set<string>();
    const remembered = new Set<string>();
    /** Said twice, and remembered twice. */
    const contested = new Set<string>();
    const doubtful = new Set<string>();
    for (const { node, wireguard } of states) {
        if (wireguard === undefined) continue;
        const [once, twice] = isRemembered(node) ? [remembered, doubtful] : [said, contested];
        if (once.size === once.add(wireguard.text).size) twice.add(wireguard.text);
    }
    return (node, { text }) => contested.has(text) || (isRemembered(node) && (said.has(text) || doubtful.has(text)));
}

const isRemembered = ({ kept }: KnownNode): boolean => kept?.includes("wireguard-ip") === true;

function byLocation(states: readonly NodeState[]): readonly (readonly [string, readonly NodeState[]])[] {
    const groups = new Map<string, NodeState[]>();
    for (const state of states) {
        if (!isInLocation(state.node)) continue;
        const location = state.node.location ?? "";
        const group = groups.get(location);
        if (group === undefined) groups.set(location, [state]);
        else group.push(state);
    }
    return [...groups];
}

/** In the flat form, the entries that no node covers: judged by all nodes, so that a skipped one moves nothing. */
function uncovered(cluster: ClusterModel, states: readonly NodeState[]): Network[] {
    const covered = new Set<Network | undefined>();
    for (const { node, pods, wireguard } of states) {
        for (const network of pods) covered.add(cluster.podRange(network));
        if (wireguard !== undefined) covered.add(cluster.podRange(wireguard));
        if (cluster.nodeRange !== undefined) for (const route of routesTo(node)) covered.add(cluster.nodeRange(route));
    }
    return cluster.shared.filter((network) => !covered.has(network));
}

/**
 * A route to what a node of the target uses itself takes that node down (docs/kilo.md: routes replace what is there). What
 * lies in the target's own networks is in nobody else's, and what nobody declares is in no peer: neither is remembered.
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
    for (const { node, pods, wireguard } of states) {
        for (const network of pods) add(network, node.name);
        if (wireguard !== undefined) add(wireguard, node.name);
        for (const text of addressesOf(node)) {
            const address = addressOf(text);
            if (address !== undefined) add(address, node.name);
        }
    }
    return used;
}

export function addressesOf({ internalIPs, kiloInternalIP, externalIPs }: NodeFacts): readonly string[] {
    const known = kiloInternalIP === undefined || internalIPs.includes(kiloInternalIP);
    if (known && externalIPs.length === 0) return internalIPs;
    return known ? [...internalIPs, ...externalIPs] : [...internalIPs, kiloInternalIP, ...externalIPs];
}

const NONE: readonly Network[] = [];

function finish(drafts: readonly Draft[], judging: Judging): readonly Segment[] {
    const { mesh, cluster } = judging;
    const addresses = nodeAddresses(drafts, judging);
    const segments = drafts.map(({ kind, lender, identity, members, cutOff }): Segment => {
        const { key, endpoint, route, pinned, problem } = identity;
        const { name, otherName } = segmentNames(mesh, cluster.name, kind);
        const carried = members.map(({ node, pods }): Carried => {
            return { node: node.name, pods, addresses: addresses.get(node.name) ?? NONE };
        });
        const keepalive = keepaliveOf(cluster.spec, endpoint);
        const texts = ownNetworks(carried, route).map(({ text }) => text);
        const spec = peerSpec(key, texts, endpoint, keepalive);
        return {
            cluster,
            name,
            otherName,
            lender: lender.name,
            fresh: isFresh(lender) && cutOff !== true,
            problem,
            key,
            endpoint,
            movable: !pinned && cluster.spec.discoveredEndpoints !== false,
            keepalive,
            carried,
            wireguard: route,
            hasAddresses: carried.some((node) => node.addresses.length > 0),
            peer: { spec },
            bytes: configBytes(spec),
        };
    });
    return segments.sort((a, b) => byText(a.name, b.name) || byText(a.otherName ?? "", b.otherName ?? ""));
}

const routesTo = (node: KnownNode): readonly Network[] =>
    addressesOf(node).flatMap((text) => {
        const address = addressOf(text);
        return address === undefined ? [] : hostRoute(address);
    });

/**
 * Host routes of the nodes' addresses inside nodeCIDRs, or inside the flat form where it is asked for: only there may one
 * be a pod's or a WireGuard address too, and then it has a route. Of two nodes with one address, who has it routed keeps it.
 */
function nodeAddresses(drafts: readonly Draft[], judging: Judging): ReadonlyMap<string, readonly Network[]> {
    const given = new Map<string, Network[]>();
    const { nodeRange } = judging.cluster;
    if (nodeRange === undefined) return given;
    const claims = new Map<string, { readonly route: Network; readonly nodes: KnownNode[] }>();
    const nodes = drafts.flatMap(({ members }) => members.map(({ node }) => node));
    const routed = new Set(drafts.flatMap(({ members }) => members.flatMap(({ wireguard }) => wireguard?.text ?? [])));
    for (const node of nodes.sort((a, b) => byText(a.name, b.name))) {
        given.set(node.name, []);
        for (const route of routesTo(node)) {
            if (nodeRange(route) === undefined || routed.has(route.text)) continue;
            if (judging.owners.holder(route) !== undefined) continue;
            const claim = claims.get(route.text);
            if (claim === undefined) claims.set(route.text, { route, nodes: [node] });
            else claim.nodes.push(node);
        }
    }
    for (const { route, nodes: claimants } of claims.values()) {
        const has = (node: KnownNode) => judging.holdings.has(namesOf(kindOf(node), judging), route.text);
        const holder =
            claimants.length === 1
                ? claimants[0]
                : (claimants.find(has) ?? claimants.find((node) => !isKept(node)) ?? claimants[0]);
        given.get(holder!.name)!.push(route);
    }
    return given;
}
