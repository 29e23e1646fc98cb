import type { LivePeer } from "../../provider/kilo/peer";
import { readNodes, staleFrom } from "../../provider/kilo/read-nodes";
import type { KubeNode } from "../../provider/kilo/types";
import type { Followed } from "../../provider/kube/follow";
import type { ClusterSpec } from "../../provider/mesh/types";
import type { FailedObservation, Observation } from "../../provider/observe/observe-clusters";
import { MESH_LABEL } from "../../provider/values/labels";
import { byText } from "../../provider/values/show";
import type { MemberState } from "./state";

/**
 * What is known of one member, from events alone: no clock and no I/O of its own. Every call says whether something changed
 * that planning uses: a heartbeat does not, a node that becomes stale does. Times are milliseconds since the epoch.
 */
export interface MemberView {
    readonly state: MemberState;
    onNodes(event: Followed<KubeNode>, now: number): boolean;
    onPeers(event: Followed<LivePeer>, now: number): boolean;
    onIdentity(uid: string | undefined): boolean;
    onFailure(failure: FailedObservation): boolean;
    /** Nodes become stale by the passing of time. */
    onTime(now: number): boolean;
    /** As one look at the cluster would have found it; undefined before anything was heard. */
    observation(now: number): Observation | undefined;
    /** What a plan takes from its nodes, and the peers of a mesh there; undefined while it is not seen. */
    texts(mesh: string): { readonly nodes: string; readonly peers: string } | undefined;
}

interface KnownNode {
    readonly node: KubeNode;
    /** What planning reads from it. */
    readonly text: string;
    readonly staleAt: number;
}

const OBSERVATIONS = "kilo.squat.ai/discovered-endpoints";
const LAST_SEEN = "kilo.squat.ai/last-seen";
/** An answer that is further behind than rounding and delay explain says that the clock was set back. */
const SET_BACK_MILLISECONDS = 2_000;

export function openView(spec: ClusterSpec): MemberView {
    let nodes: Map<string, KnownNode> | undefined;
    let peers: Map<string, LivePeer> | undefined;
    let identity: { readonly uid: string | undefined } | undefined;
    let failure: FailedObservation | undefined;
    /** How far the cluster's clock is ahead of ours, at least. */
    let ahead: number | undefined;

    const secondsThere = (now: number): number => Math.floor((now + (ahead ?? 0)) / 1000);
    const stateNow = (): MemberState => {
        if (failure !== undefined) return failure.state;
        return nodes !== undefined && peers !== undefined && identity !== undefined ? "seen" : "waiting";
    };
    /** Servers tell whole seconds, and late: the greatest of what they told is nearest the truth. */
    const setClock = (at: number | undefined, now: number): void => {
        if (at === undefined) return;
        const least = at - now;
        ahead = ahead === undefined || least < ahead - SET_BACK_MILLISECONDS ? least : Math.max(ahead, least);
    };
    const known = (node: KubeNode, now: number): KnownNode => {
        const [facts] = readNodes([node], spec, secondsThere(now));
        const text = JSON.stringify([facts ?? null, node.metadata?.annotations?.[OBSERVATIONS] ?? ""]);
        const staleAt =
            facts?.stale === true ? Number.POSITIVE_INFINITY : (staleFrom(node) ?? Number.POSITIVE_INFINITY);
        return { node, text, staleAt };
    };
    /** What was heard before a failure counts again only once all of it was heard again. */
    const heard = (): boolean => {
        const before = failure;
        if (before !== undefined && nodes !== undefined && peers !== undefined && identity !== undefined) {
            failure = undefined;
        }
        return before !== failure;
    };

    return {
        get state() {
            return stateNow();
        },
        onNodes(event, now) {
            switch (event.kind) {
                case "listed": {
                    setClock(event.at, now);
                    const listed = new Map(event.items.map((node) => [nameOf(node), known(node, now)]));
                    const isSame = nodes !== undefined && sameTexts(nodes, listed);
                    nodes = listed;
                    return heard() || !isSame;
                }
                case "put": {
                    const name = nameOf(event.item);
                    const next = known(event.item, now);
                    const before = nodes?.get(name);
                    const isSame = before?.text === next.text;
                    nodes?.set(name, isSame ? checkedIn(before, next) : next);
                    return !isSame;
                }
                case "gone":
                    return nodes?.delete(nameOf(event.item)) === true;
                case "alive":
                    setClock(event.at, now);
                    return false;
                case "unwatchable":
                    return false;
            }
        },
        onPeers(event, now) {
            switch (event.kind) {
                case "listed": {
                    setClock(event.at, now);
                    const listed = new Map(event.items.map((peer) => [peer.name, peer]));
                    const isSame = peers !== undefined && samePeers(peers, listed);
                    peers = listed;
                    return heard() || !isSame;
                }
                case "put": {
                    const before = peers?.get(event.item.name);
                    peers?.set(event.item.name, event.item);
                    return before === undefined || JSON.stringify(before) !== JSON.stringify(event.item);
                }
                case "gone":
                    return peers?.delete(event.item.name) === true;
                case "alive":
                    setClock(event.at, now);
                    return false;
                case "unwatchable":
                    return false;
            }
        },
        onIdentity(uid) {
            const isSame = identity !== undefined && identity.uid === uid;
            identity = { uid };
            return heard() || !isSame;
        },
        onFailure(next) {
            const isSame = failure?.state === next.state;
            failure = next;
            nodes = undefined;
            peers = undefined;
            identity = undefined;
            return !isSame;
        },
        onTime(now) {
            const seconds = secondsThere(now);
            let isChanged = false;
            for (const [name, { node, staleAt, text }] of nodes ?? []) {
                if (staleAt > seconds) continue;
                const next = known(node, now);
                nodes?.set(name, next);
                isChanged ||= next.text !== text;
            }
            return isChanged;
        },
        observation(now) {
            if (failure !== undefined) return failure;
            if (nodes === undefined || peers === undefined || identity === undefined) return undefined;
            return {
                ok: true,
                nodes: sorted(nodes).map(([, { node }]) => node),
                peers: sorted(peers).map(([, peer]) => peer),
                at: secondsThere(now),
                identity: identity.uid,
            };
        },
        texts(mesh) {
            if (stateNow() !== "seen") return undefined;
            const ours = sorted(peers!).filter(([, { labels }]) => labels[MESH_LABEL] === mesh);
            return {
                nodes: sorted(nodes!)
                    .map(([, { text }]) => text)
                    .join("\n"),
                peers: JSON.stringify(ours.map(([, peer]) => peer)),
            };
        },
    };
}

/**
 * Keeps what is there and takes the time alone from a heartbeat: thousands of nodes that are replaced twice a minute would
 * be garbage that only a collection of the whole heap gives back.
 */
function checkedIn(before: KnownNode, next: KnownNode): KnownNode {
    const lastSeen = next.node.metadata?.annotations?.[LAST_SEEN];
    if (lastSeen === undefined) return next;
    const { node, text } = before;
    const annotations = { ...node.metadata?.annotations, [LAST_SEEN]: lastSeen };
    return { node: { ...node, metadata: { ...node.metadata, annotations } }, text, staleAt: next.staleAt };
}

const nameOf = ({ metadata }: KubeNode): string => metadata?.name ?? "";

const sorted = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
    [...map].sort(([a], [b]) => byText(a, b));

const sameTexts = (a: ReadonlyMap<string, KnownNode>, b: ReadonlyMap<string, KnownNode>): boolean =>
    a.size === b.size && [...a].every(([name, { text }]) => b.get(name)?.text === text);

const samePeers = (a: ReadonlyMap<string, LivePeer>, b: ReadonlyMap<string, LivePeer>): boolean =>
    a.size === b.size && [...a].every(([name, peer]) => JSON.stringify(b.get(name)) === JSON.stringify(peer));
