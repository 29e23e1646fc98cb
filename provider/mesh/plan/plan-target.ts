import { endpointAddress } from "../../kilo/endpoint";
import type { LivePeer, Peer } from "../../kilo/peer";
import { isPublicKey } from "../../kilo/public-key";
import type { PeerSpec } from "../../kilo/types";
import { addressIn, intersection, type Network, networkOf } from "../../net/cidr";
import { NO_ENDPOINT, SOURCE_LABEL } from "../../values/labels";
import { byText } from "../../values/show";
import { peerName } from "../names";
import { configBytes } from "../report/capacity";
import { issue } from "../report/findings";
import { keepaliveOf, ownNetworks, peerSpec, type Segment } from "../segments/segment";
import type { Source } from "../segments/sources";
import type { Issue, SkippedNode } from "../types";
import { type Admission, admit, asHeld, type Candidate } from "./admit";
import { namesIn } from "./segment-names";
import type { Target } from "./target";

export interface TargetPlan {
    /** By source, then by name. */
    readonly peers: ReadonlyMap<string, ReadonlyMap<string, Peer>>;
    /** About how much WireGuard configuration they are. */
    readonly bytes: number;
    readonly skipped: readonly SkippedNode[];
    readonly issues: readonly Issue[];
    /** Segments that cannot say who they are and that this target does not know. */
    readonly strangers: readonly Segment[];
    /** Names of peers without labels that may be ours. */
    readonly unclaimed: readonly string[];
    /** Sources whose cluster-wide networks would move if facts that are missing now were there. */
    readonly unsettled: readonly string[];
}

interface Admitted extends Admission {
    readonly source: Source;
}

/** The peers of one target. First who may enter it, then what each carries: that depends on who else is there. */
export function planTarget(target: Target, sources: readonly Source[]): TargetPlan {
    const found = { skipped: [] as SkippedNode[], issues: [] as Issue[], unclaimed: [] as string[] };
    const hasOddNames = sources.some(({ built }) => built.hasOddNames);
    const segments = hasOddNames ? sources.flatMap(({ built }) => built.segments) : [];
    const nameOf = namesIn(segments, target.live.ours);
    const admitted = sources.map((source): Admitted => ({ source, ...admit(source, target, nameOf, found) }));
    const peers = new Map<string, ReadonlyMap<string, Peer>>();
    const unsettled: string[] = [];
    const keys = new Set<string>();
    // nodes that say who they are were given different keys: only a peer that is kept can repeat one
    const mayRepeat = admitted.some(({ source, candidates }) => !source.judged || candidates.some(isAsFound));
    let bytes = 0;
    for (const { source, anchors, candidates: all } of admitted) {
        const { name: cluster } = source.cluster;
        const candidates = mayRepeat ? withOwnKeys(all, keys) : all;
        const isEndpoint = endpointsIn(target, candidates);
        const carrier = anchorCarrier(anchors, candidates);
        if (carrier.unsettled) unsettled.push(cluster);
        const planned = new Map<string, Peer>();
        for (const candidate of candidates) {
            const spec = specIn(target, candidate, candidate === carrier.candidate ? anchors : [], isEndpoint);
            if (spec === undefined) continue;
            const { name, key, segment, configured } = candidate;
            if (mayRepeat) keys.add(key);
            if (spec === segment.peer.spec) {
                bytes += segment.bytes;
                planned.set(name, segment.peer);
            } else {
                bytes += configBytes(spec);
                planned.set(name, configured === undefined ? { spec } : { spec, configured });
            }
        }
        if (!source.judged) {
            const kept = asFound(source, target, planned, keys);
            for (const [name, peer] of kept) {
                planned.set(name, peer);
                bytes += configBytes(peer.spec);
            }
            if (kept.size > 0) {
                const names = [...kept.keys()];
                found.issues.push(issue("SourceKept", { cluster, target: target.cluster.name, peers: names }));
            }
        }
        noteLeftOut(target, source, candidates, planned.size, isEndpoint, found.issues);
        // segments come in the order of their names
        const isSorted = !hasOddNames && source.judged;
        peers.set(cluster, isSorted ? planned : new Map([...planned].sort(([a], [b]) => byText(a, b))));
    }
    if (found.unclaimed.length > 0) {
        found.issues.push(issue("PeerUnclaimed", { target: target.cluster.name, peers: found.unclaimed }));
    }
    return { peers, bytes, ...found, strangers: admitted.flatMap(({ strangers }) => strangers), unsettled };
}

const isAsFound = ({ asFound }: Candidate): boolean => asFound;

/**
 * One key on one peer. One that is merely held yields to a node that says it has it; and where a peer of another cluster has
 * the key here, the one that we have stays as it is.
 */
function withOwnKeys(all: readonly Candidate[], taken: ReadonlySet<string>): readonly Candidate[] {
    const candidates = all.map((candidate) => {
        const { held } = candidate;
        return taken.has(candidate.key) && held !== undefined ? { ...candidate, ...asHeld(held) } : candidate;
    });
    const owners = new Map<string, Candidate>();
    for (const candidate of candidates) {
        const owner = owners.get(candidate.key);
        if (owner === undefined || (owner.asFound && !candidate.asFound)) owners.set(candidate.key, candidate);
    }
    return candidates.filter((candidate) => owners.get(candidate.key) === candidate && !taken.has(candidate.key));
}

/**
 * Cluster-wide networks ride on one peer (docs/kilo.md: one network on one peer): the one that carries them here now as
 * long as its node is fresh, else the first fresh one by name; where none is fresh nothing says that they should move.
 */
function anchorCarrier(
    anchors: readonly Network[],
    candidates: readonly Candidate[],
): { readonly candidate: Candidate | undefined; readonly unsettled: boolean } {
    const carries = ({ held }: Candidate): boolean => anchors.some(({ text }) => held?.spec.allowedIPs.includes(text));
    const steady = candidates.find((candidate) => isSteady(candidate) && carries(candidate));
    if (steady !== undefined) return { candidate: steady, unsettled: false };
    const now = candidates.find(carries);
    const fresh = candidates.find(isSteady);
    return { candidate: fresh ?? now ?? candidates[0], unsettled: now !== undefined && fresh !== undefined };
}

const isSteady = ({ segment }: Candidate): boolean => segment.fresh && segment.problem === undefined;

/**
 * Whether a node's address is an endpoint here: a route to it would lead into its own tunnel. Only the source's own word
 * counts, and the target's: what another member says costs nobody a route.
 */
function endpointsIn(target: Target, candidates: readonly Candidate[]): (address: Network) => boolean {
    // most clusters advertise no node addresses: then nobody asks
    let endpoints: ReadonlySet<string> | undefined;
    return (address) => {
        endpoints ??= new Set([
            ...target.endpoints,
            ...target.live.foreignEndpoints,
            ...candidates.flatMap(
                ({ endpoint }) => (endpoint && endpointAddress(endpoint, target.resolved)?.text) ?? [],
            ),
        ]);
        return endpoints.has(addressIn(address));
    };
}

/** The spec in this target, or undefined when nothing is left to route. */
function specIn(
    target: Target,
    { segment, key, entering, endpoint, configured, asFound }: Candidate,
    anchors: readonly Network[],
    isEndpoint: (address: Network) => boolean,
): PeerSpec | undefined {
    const isShared =
        anchors.length === 0 &&
        target.cluster.accepted === undefined &&
        entering === segment &&
        !(segment.hasAddresses && segment.carried.some(({ addresses }) => addresses.some(isEndpoint)));
    if (isShared && configured === undefined && !asFound) return segment.peer.spec;
    const allowedIPs = isShared
        ? segment.peer.spec.allowedIPs
        : allowedIn(target, [...ownNetworks(entering.carried, entering.wireguard, isEndpoint), ...anchors]);
    if (allowedIPs.length === 0) return undefined;
    const own = configured === NO_ENDPOINT ? undefined : endpoint;
    const keepalive = asFound ? keepaliveOf(segment.cluster.spec, own) : segment.keepalive;
    return peerSpec(key, allowedIPs, endpoint, keepalive);
}

function allowedIn({ cluster }: Target, networks: readonly Network[]): readonly string[] {
    const { accepted } = cluster;
    const kept = accepted === undefined ? networks : networks.flatMap((network) => intersection([network], accepted));
    return kept.map(({ text }) => text);
}

/** Our peers of a source of which nothing is known: they stay as they are, within what this run's arguments allow. */
function asFound(
    { cluster, listed }: Source,
    target: Target,
    planned: ReadonlyMap<string, Peer>,
    keys: Set<string>,
): ReadonlyMap<string, Peer> {
    const excluded = new Set(
        (cluster.spec.excludeNodes ?? []).map((node) => peerName(target.mesh, cluster.name, node)),
    );
    const isGone = lackedBy(listed, cluster.name, target.mesh);
    const routed = new Set([...planned.values()].flatMap(({ spec }) => spec.allowedIPs));
    const kept = new Map<string, { readonly live: LivePeer; readonly allowed: string[] }>();
    for (const [name, live] of target.live.ours) {
        if (live.labels[SOURCE_LABEL] !== cluster.name || planned.has(name) || excluded.has(name) || isGone(name))
            continue;
        const { publicKey } = live.spec;
        const twin = kept.get(publicKey);
        if ((keys.has(publicKey) && twin === undefined) || !isPublicKey(publicKey)) continue;
        const networks = live.spec.allowedIPs.flatMap((text) => networkOf(text) ?? []);
        const advertised = networks.filter((network) => cluster.advertised(network) !== undefined);
        const allowed = allowedIn(target, advertised).filter((text) => !routed.has(text));
        if (allowed.length === 0) continue;
        keys.add(publicKey);
        for (const text of allowed) routed.add(text);
        // one key on one peer: that one has the networks of both
        if (twin === undefined) kept.set(publicKey, { live, allowed });
        else twin.allowed.push(...allowed);
    }
    return new Map([...kept.values()].map(({ live, allowed }) => [live.name, frozen(live, allowed)]));
}

/** A peer of a node that a complete list lacks is of nobody; of a location nothing says who is in it. */
function lackedBy(listed: Source["listed"], cluster: string, mesh: string): (name: string) => boolean {
    if (listed === undefined) return () => false;
    const names = new Set(listed.map((node) => peerName(mesh, cluster, node.name)));
    const location = peerName(mesh, cluster, "location-x").slice(0, -1);
    return (name) => !names.has(name) && !name.startsWith(location);
}

const frozen = ({ spec, configured, unexpected }: LivePeer, allowedIPs: readonly string[]): Peer => ({
    spec: {
        allowedIPs,
        publicKey: spec.publicKey,
        ...(spec.endpoint === undefined || unexpected.includes("endpoint") ? {} : { endpoint: spec.endpoint }),
        ...(spec.persistentKeepalive === undefined || unexpected.includes("persistentKeepalive")
            ? {}
            : { persistentKeepalive: spec.persistentKeepalive }),
    },
    ...(configured === undefined ? {} : { configured }),
});

function noteLeftOut(
    target: Target,
    { cluster, built }: Source,
    candidates: readonly Candidate[],
    planned: number,
    isEndpoint: (address: Network) => boolean,
    issues: Issue[],
): void {
    const into = { cluster: cluster.name, target: target.cluster.name };
    const { accepted } = target.cluster;
    if (accepted !== undefined && accepted.length > 0 && built.segments.length > 0 && planned === 0) {
        issues.push(issue("AcceptedNothingOf", into));
    }
    const addresses = candidates
        .filter(({ segment }) => segment.hasAddresses)
        .flatMap(({ entering }) =>
            entering.carried.flatMap((node) => node.addresses.filter(isEndpoint).map(({ text }) => text)),
        );
    if (addresses.length > 0) issues.push(issue("NodeAddressLeftOut", { ...into, addresses }));
}
