import type { Endpoint } from "../../kilo/endpoint";
import type { PeerSpec } from "../../kilo/types";
import { intersection, type Network } from "../../net/cidr";
import { shown } from "../../values/show";
import { own } from "../../values/untrusted";
import { peerLabels } from "../names";
import { configBytes } from "../report/capacity";
import { issue } from "../report/findings";
import { isRefusal, type Refusal, refusal, skip } from "../report/skip";
import type { NetworkUser } from "../segments/build-segments";
import type { ClusterModel } from "../segments/cluster-model";
import { type Carried, ownNetworks, peerSpec, type Segment } from "../segments/segment";
import type { Source } from "../segments/sources";
import type { Issue, PlannedPeer, SkippedNode } from "../types";
import { type AdoptedEndpoint, adoptedEndpoint } from "./adopted-endpoint";
import { type NameOf, namesIn } from "./segment-names";
import type { Target } from "./target";

export interface TargetPlan {
    readonly peers: Readonly<Record<string, PlannedPeer>>;
    /** How many of them per source. */
    readonly written: ReadonlyMap<string, number>;
    /** About how much WireGuard configuration they are. */
    readonly bytes: number;
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
}

/** What of a segment's networks may be written into the target. */
interface Entering {
    readonly carried: readonly Carried[];
    readonly wireguard: Network | undefined;
}

interface Candidate {
    readonly segment: Segment;
    readonly name: string;
    readonly entering: Entering;
    readonly endpoint: Endpoint | undefined;
    readonly adopted: AdoptedEndpoint | undefined;
}

interface Admitted {
    readonly source: Source;
    readonly anchors: readonly Network[];
    readonly candidates: readonly Candidate[];
}

/** The peers of one target. First who may enter it, then what each carries: that depends on who else is there. */
export function planTarget(mesh: string, target: Target, sources: readonly Source[]): TargetPlan {
    const skipped: SkippedNode[] = [];
    const issues: Issue[] = [];
    const hasOddNames = sources.some(({ built }) => built.hasOddNames);
    const segments = hasOddNames ? sources.flatMap(({ built }) => built.segments) : [];
    const nameOf = namesIn(segments, target.live.ours);
    const admitted = sources.map((source) => admit(source, target, nameOf, skipped, issues));
    const isEndpoint = endpointsIn(target, admitted);
    const peers: Record<string, PlannedPeer> = {};
    const written = new Map<string, number>();
    let bytes = 0;
    for (const { source, anchors, candidates } of admitted) {
        let count = 0;
        const labels = peerLabels(mesh, source.cluster.name, target.claim);
        candidates.forEach((candidate, i) => {
            const spec = specIn(target, candidate, i === 0 ? anchors : [], isEndpoint);
            if (spec === undefined) return;
            count++;
            bytes += spec === candidate.segment.spec ? candidate.segment.bytes : configBytes(spec);
            const { name, adopted } = candidate;
            peers[name] = adopted === undefined ? { labels, spec } : { labels, annotations: adopted.annotations, spec };
        });
        written.set(source.cluster.name, count);
    }
    return { peers, written, bytes, skipped, issues };
}

function admit(source: Source, target: Target, nameOf: NameOf, skipped: SkippedNode[], issues: Issue[]): Admitted {
    const { cluster, built } = source;
    // no network of a peer lies outside the declared ones, so mostly one look at those is enough
    const isCrowded = cluster.declared.some((network) => target.usedBy(network) !== undefined);
    const anchors = isCrowded
        ? built.anchors.filter((anchor) => isFree(anchor, cluster, target, issues))
        : built.anchors;
    const candidates: Candidate[] = [];
    for (const segment of built.segments) {
        const name = nameOf(segment);
        // first the name: whose it is tells more than that its holder has the same networks
        const held = heldName(name, target);
        const entering = isCrowded && held === undefined ? uncontested(segment, target, skipped) : segment;
        if (entering.carried.length === 0) continue;
        const candidate = held ?? judge(segment, name, entering, built.anchors, target, issues);
        if (isRefusal(candidate)) skipped.push(skip(cluster.name, segment.lender, candidate, target.cluster.name));
        else candidates.push(candidate);
    }
    return { source, anchors, candidates };
}

function isFree(anchor: Network, source: ClusterModel, target: Target, issues: Issue[]): boolean {
    const user = target.usedBy(anchor);
    if (user === undefined) return true;
    issues.push(
        issue(
            "warning",
            "NetworkForeign",
            `${target.cluster.name}/${source.name}`,
            `${anchor.text} of ${shown(source.name)} is not routed in ${shown(target.cluster.name)}: it overlaps ${userText(user)}`,
            "remove what overlaps there, or take the range out of the source's networks",
        ),
    );
    return false;
}

/** Without the nodes that have a network which somebody uses in the target. */
function uncontested(segment: Segment, target: Target, skipped: SkippedNode[]): Entering {
    const { wireguard, lender } = segment;
    const isContested = (node: string, networks: readonly Network[]): boolean => {
        for (const network of networks) {
            const user = target.usedBy(network);
            if (user === undefined) continue;
            const message = `${network.text} overlaps ${userText(user)} of ${shown(target.cluster.name)}`;
            skipped.push(skip(segment.cluster.name, node, refusal("PeerNetworkForeign", message), target.cluster.name));
            return true;
        }
        return false;
    };
    const withdrawn = wireguard !== undefined && isContested(lender, [wireguard]);
    const carried = segment.carried.filter(
        ({ node, pods, addresses }) => !(withdrawn && node === lender) && !isContested(node, [...pods, ...addresses]),
    );
    // nothing is contested: the very same object, so that what is shared stays shared
    if (!withdrawn && carried.length === segment.carried.length) return segment;
    return { carried, wireguard: withdrawn ? undefined : wireguard };
}

function userText({ kind, name }: NetworkUser): string {
    return kind === "node" ? `what node ${shown(name)} uses` : `the foreign peer ${shown(name)}`;
}

function heldName(name: string, target: Target): Refusal | undefined {
    const owner = target.live.foreignNames.get(name);
    if (owner === undefined) return undefined;
    return refusal("PeerNameForeign", `in ${where(target)} the name ${shown(name)} is held by a peer ${owner}`);
}

function judge(
    segment: Segment,
    name: string,
    entering: Entering,
    anchors: readonly Network[],
    target: Target,
    issues: Issue[],
): Candidate | Refusal {
    const { live } = target;
    const holder = live.foreignKeys.get(segment.key);
    if (holder !== undefined) {
        return refusal(
            "PeerKeyForeign",
            `in ${where(target)} the peer ${shown(holder)}, which is not ours, has its public key`,
        );
    }
    if (target.hasKey(segment.key)) {
        return refusal("PeerKeyForeign", `in ${where(target)} one of the cluster's own nodes has its public key`);
    }
    const ours = live.ours.get(name);
    const adopted = adoptedEndpoint(segment, anchors, own(target.observed, segment.key), ours);
    const endpoint = adopted?.endpoint ?? segment.endpoint;
    const dns = endpoint?.spec.dnsOrIP.dns;
    if (dns !== undefined && target.unresolvable.has(dns)) {
        const problem = `its endpoint ${shown(dns)} does not resolve`;
        if (ours?.dns !== dns) return refusal("NodeEndpointInvalid", problem);
        issues.push(unresolved(segment, target, problem));
    }
    return { segment, name, entering, endpoint, adopted };
}

function where({ cluster }: Target): string {
    return shown(cluster.name);
}

function unresolved({ cluster, lender }: Segment, target: Target, problem: string): Issue {
    return issue(
        "warning",
        "EndpointUnresolvable",
        `${cluster.name}/${lender}`,
        `${shown(lender)} of ${shown(cluster.name)}: ${problem}; its peer in ${shown(target.cluster.name)} is kept`,
        "mend the DNS record before Kilo restarts there: it stops configuring anything while a name fails",
    );
}

/** Whether a node's address is an endpoint in this target: a route to it would lead into its own tunnel. */
function endpointsIn(target: Target, admitted: readonly Admitted[]): (address: Network) => boolean {
    if (!admitted.some(({ candidates }) => candidates.some(({ segment }) => segment.hasAddresses))) return () => false;
    const endpoints = new Set([...target.endpoints, ...target.live.foreignEndpoints]);
    for (const { candidates } of admitted) {
        for (const { endpoint } of candidates)
            if (endpoint?.address !== undefined) endpoints.add(endpoint.address.text);
    }
    return (address) => endpoints.has(address.text.slice(0, address.text.indexOf("/")));
}

/** The spec in this target, or undefined when nothing is left to route. */
function specIn(
    target: Target,
    { segment, entering, endpoint, adopted }: Candidate,
    anchors: readonly Network[],
    isEndpoint: (address: Network) => boolean,
): PeerSpec | undefined {
    const isShared =
        anchors.length === 0 &&
        target.cluster.accepted === undefined &&
        entering === segment &&
        !(segment.hasAddresses && segment.carried.some(({ addresses }) => addresses.some(isEndpoint)));
    if (isShared && adopted === undefined) return segment.spec;
    const allowedIPs = isShared
        ? segment.spec.allowedIPs
        : allowedIn(target, [...ownNetworks(entering.carried, entering.wireguard, isEndpoint), ...anchors]);
    return allowedIPs.length === 0 ? undefined : peerSpec(segment.key, allowedIPs, endpoint, segment.keepalive);
}

function allowedIn({ cluster }: Target, networks: readonly Network[]): readonly string[] {
    const { accepted } = cluster;
    const kept = accepted === undefined ? networks : networks.flatMap((network) => intersection([network], accepted));
    return kept.map(({ text }) => text);
}
