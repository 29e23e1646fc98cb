import { type Endpoint, parseEndpoint } from "../../kilo/endpoint";
import { endpointText, type LivePeer } from "../../kilo/peer";
import { intersection, type Network } from "../../net/cidr";
import { shown } from "../../values/show";
import { isUnclaimed } from "../ownership";
import { issue } from "../report/findings";
import { isRefusal, type Refusal, refusal, skip } from "../report/skip";
import type { NetworkUser } from "../segments/build-segments";
import type { ClusterModel } from "../segments/cluster-model";
import type { Carried, Segment } from "../segments/segment";
import type { Source } from "../segments/sources";
import type { Issue, SkippedNode } from "../types";
import { adoptedEndpoint } from "./adopted-endpoint";
import { describeOwner } from "./classify";
import type { NameOf } from "./segment-names";
import type { Target } from "./target";

/** What of a segment's networks may be written into the target. */
interface Entering {
    readonly carried: readonly Carried[];
    readonly wireguard: Network | undefined;
}

/** A segment that gets a peer in the target, before it is known who else does. */
export interface Candidate {
    readonly segment: Segment;
    readonly name: string;
    readonly key: string;
    readonly entering: Entering;
    readonly endpoint: Endpoint | undefined;
    /** What it replaces where it was observed here. */
    readonly configured: string | undefined;
    /** The peer of it that is there. */
    readonly held: LivePeer | undefined;
    /** Key and endpoint are what that one has, because the node cannot tell its own or may not have it. */
    readonly asFound: boolean;
}

export interface Admission {
    readonly candidates: readonly Candidate[];
    readonly anchors: readonly Network[];
    /** Segments that cannot say who they are and that this target does not know. */
    readonly strangers: readonly Segment[];
}

/** What is found on the way. */
export interface Findings {
    readonly skipped: SkippedNode[];
    readonly issues: Issue[];
    /** Names of peers without labels that may be ours. */
    readonly unclaimed: string[];
}

/** Some network of the cluster is in use in the target. None of a peer lies outside the declared ones, so these are enough. */
export const isCrowded = ({ declared }: ClusterModel, { usedBy }: Pick<Target, "usedBy">): boolean =>
    declared.some((network) => usedBy(network) !== undefined);

/** Who of a source may enter the target. What we hold there stays, whoever else wants it. */
export function admit(source: Source, target: Target, nameOf: NameOf, found: Findings): Admission {
    const { cluster, built } = source;
    const crowded = isCrowded(cluster, target);
    const candidates: Candidate[] = [];
    const strangers: Segment[] = [];
    for (const segment of built.segments) {
        const name = nameOf(segment);
        const held = heldPeer(name, segment, target, found);
        if (segment.problem !== undefined && (!isLive(held) || isPassedOn(held, built.segments))) {
            strangers.push(segment);
            continue;
        }
        const candidate = held === undefined || isLive(held) ? judge(segment, name, held) : held;
        if (isRefusal(candidate)) {
            found.skipped.push(skip(cluster.name, segment.lender, candidate, target.cluster.name));
        } else if (candidate.entering.carried.length > 0) candidates.push(candidate);
    }
    const anchors = crowded ? built.anchors.filter((anchor) => isFree(anchor, candidates)) : built.anchors;
    return { candidates, anchors, strangers };

    function judge(segment: Segment, name: string, held: LivePeer | undefined): Candidate | Refusal {
        const contest = contestOf(segment, name, held, target, found);
        if (contest !== undefined && isRefusal(contest)) return contest;
        const entering = crowded ? uncontested(segment, name, held, target, found) : segment;
        const known = contest === undefined ? identityIn(segment, held, target, built.anchors, found) : asHeld(contest);
        if (isRefusal(known)) return known;
        const { key, endpoint, configured, asFound } = known;
        return { segment, name, key, entering, endpoint, configured, held, asFound };
    }

    function isFree(anchor: Network, all: readonly Candidate[]): boolean {
        const user = target.usedBy(anchor);
        if (user === undefined || (user.kind === "peer" && found.unclaimed.includes(user.name))) return true;
        const isHeld = all.some(({ held }) => held?.spec.allowedIPs.includes(anchor.text));
        found.issues.push(
            issue("NetworkForeign", {
                cluster: cluster.name,
                target: target.cluster.name,
                network: anchor.text,
                user: userText(user),
                held: isHeld,
            }),
        );
        return isHeld;
    }
}

/** The key that its peer has is another node's now: nothing is left to keep. */
const isPassedOn = ({ spec }: LivePeer, all: readonly Segment[]): boolean =>
    all.some(({ problem, key }) => problem === undefined && key === spec.publicKey);

const isLive = (held: LivePeer | Refusal | undefined): held is LivePeer => held !== undefined && !isRefusal(held);

/** Our peer of that name, nothing, or why the name is not to be had. */
function heldPeer(name: string, segment: Segment, target: Target, found: Findings): LivePeer | Refusal | undefined {
    const { live, cluster, mesh } = target;
    const ours = live.ours.get(name);
    if (ours !== undefined) return ours;
    const other = live.foreign.get(name);
    if (other === undefined) return undefined;
    // whether it is the very object that we wrote, its uid tells when it is written
    if (isUnclaimed(other) && other.spec.publicKey === segment.key && segment.problem?.of !== "key") {
        found.unclaimed.push(name);
        return other;
    }
    const owner = describeOwner(other, mesh);
    return refusal("PeerNameForeign", `in ${shown(cluster.name)} the name ${shown(name)} is held by a peer ${owner}`);
}

/**
 * Somebody else in the target has the key. A peer that we have there stays as it is: giving it up would cut a tunnel for a
 * stranger. Returns that peer, or why there will be none.
 */
function contestOf(
    segment: Segment,
    name: string,
    held: LivePeer | undefined,
    target: Target,
    found: Findings,
): LivePeer | Refusal | undefined {
    const key = held !== undefined && segment.problem?.of === "key" ? held.spec.publicKey : segment.key;
    const holder = target.live.foreignKeys.get(key);
    const why =
        holder !== undefined && holder !== name
            ? `the peer ${shown(holder)}, which is not ours, has its public key`
            : target.hasKey(key)
              ? "one of the cluster's own nodes has its public key"
              : undefined;
    if (why === undefined) return undefined;
    if (held === undefined) return refusal("PeerKeyForeign", `in ${shown(target.cluster.name)} ${why}`);
    found.issues.push(
        issue("PeerContested", {
            cluster: segment.cluster.name,
            node: segment.lender,
            target: target.cluster.name,
            peer: name,
            why,
        }),
    );
    return held;
}

/**
 * Without the nodes whose pods have a network that somebody uses in the target, and without single addresses that somebody
 * uses, unless we route them there already. What the target does not let in is nobody's business there.
 */
function uncontested(
    segment: Segment,
    name: string,
    held: LivePeer | undefined,
    target: Target,
    found: Findings,
): Entering {
    const { wireguard, lender } = segment;
    const { accepted } = target.cluster;
    const has = new Set(held?.spec.allowedIPs ?? []);
    const where = { cluster: segment.cluster.name, target: target.cluster.name };
    /** Who uses a network that we do not route there yet. */
    const rivalOf = (node: string, network: Network): NetworkUser | undefined => {
        const entering = accepted === undefined ? [network] : intersection([network], accepted);
        const user = entering.length === 0 ? undefined : target.usedBy(network);
        if (user === undefined || (user.kind === "peer" && user.name === name)) return undefined;
        if (!entering.every(({ text }) => has.has(text))) return user;
        const why = overlapText(network, user, target);
        found.issues.push(issue("PeerContested", { ...where, node, peer: name, why }));
        return undefined;
    };
    const isFree = (node: string, address: Network): boolean => {
        const user = rivalOf(node, address);
        if (user === undefined) return true;
        const particulars = { ...where, network: address.text, user: userText(user), held: false };
        found.issues.push(issue("NetworkForeign", particulars));
        return false;
    };
    const route = wireguard !== undefined && isFree(lender, wireguard) ? wireguard : undefined;
    let isWhole = route === wireguard;
    const carried = segment.carried.flatMap((node): Carried[] => {
        for (const network of node.pods) {
            const user = rivalOf(node.node, network);
            if (user === undefined) continue;
            const refused = refusal("PeerNetworkForeign", overlapText(network, user, target));
            found.skipped.push(skip(segment.cluster.name, node.node, refused, target.cluster.name));
            isWhole = false;
            return [];
        }
        const addresses = node.addresses.filter((address) => isFree(node.node, address));
        if (addresses.length === node.addresses.length) return [node];
        isWhole = false;
        return [{ ...node, addresses }];
    });
    // nothing is contested: the very same object, so that what is shared stays shared
    return isWhole ? segment : { carried, wireguard: route };
}

const overlapText = (network: Network, user: NetworkUser, { cluster }: Target): string =>
    `${network.text} overlaps ${userText(user)} of ${shown(cluster.name)}`;

function userText({ kind, name }: NetworkUser): string {
    return kind === "node" ? `what node ${shown(name)} uses` : `the foreign peer ${shown(name)}`;
}

const NOTHING: readonly string[] = [];

type IdentityIn = Pick<Candidate, "key" | "endpoint" | "configured" | "asFound">;

/** Key and endpoint in this target. Where the node cannot tell them now, what its peer has here stays. */
function identityIn(
    segment: Segment,
    held: LivePeer | undefined,
    target: Target,
    anchors: readonly Network[],
    { issues }: Findings,
): IdentityIn | Refusal {
    const { problem, cluster, lender } = segment;
    if (problem !== undefined && held !== undefined) {
        if (problem.of === "endpoint" && held.spec.publicKey !== segment.key) return problem.refusal;
        issues.push(
            issue("PeerHeld", {
                cluster: cluster.name,
                node: lender,
                target: target.cluster.name,
                peer: held.name,
                why: problem.refusal.message,
            }),
        );
        return asHeld(held);
    }
    const adopted = adoptedEndpoint(segment, anchors, target.observed.get(segment.key) ?? NOTHING, held);
    const endpoint = adopted?.endpoint ?? segment.endpoint;
    const dns = endpoint?.spec.dnsOrIP.dns;
    if (dns === undefined || !target.unresolvable.has(dns))
        return { key: segment.key, endpoint, configured: adopted?.configured, asFound: false };
    if (held?.spec.publicKey !== segment.key) {
        return refusal("NodeEndpointInvalid", `its endpoint ${shown(dns)} does not resolve`);
    }
    const where = { cluster: cluster.name, node: lender, target: target.cluster.name };
    issues.push(issue("EndpointUnresolvable", { ...where, dns }));
    return asHeld(held);
}

/** Key and endpoint of the peer that is there. */
export function asHeld(held: LivePeer): IdentityIn {
    const { publicKey, endpoint } = held.spec;
    const parsed = endpoint === undefined ? undefined : parseEndpoint(endpointText(endpoint));
    return { key: publicKey, endpoint: parsed, configured: held.configured, asFound: true };
}
