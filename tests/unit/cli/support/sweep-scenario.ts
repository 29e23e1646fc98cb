import type { Reach } from "../../../../cli/sweep/reach";
import { type LivePeer, readPeer } from "../../../../provider/kilo/peer";
import { KubeError } from "../../../../provider/kube/errors/kube-error";
import type { DeleteOutcome } from "../../../../provider/kube/peer-calls";
import type { Observation } from "../../../../provider/observe/observe-clusters";
import { CLAIM_LABEL, MESH_ID_LABEL, MESH_LABEL, SOURCE_LABEL } from "../../../../provider/values/labels";
import { publicKey } from "../../../../tools/clusters/node-spec";
import { healthy, type Scenario } from "./scenario";

export interface PeerIn {
    readonly name: string;
    readonly uid?: string;
    readonly claim?: string;
    readonly meshId?: string;
    readonly mesh?: string;
    readonly owner?: string;
    /** It is being deleted, and these hold it. */
    readonly finalizers?: readonly string[];
}

export function peerIn({ name, uid = `uid-${name}`, claim, meshId, mesh, owner, finalizers }: PeerIn): LivePeer {
    const labels = {
        ...(mesh === undefined ? {} : { [MESH_LABEL]: mesh, [SOURCE_LABEL]: "paris" }),
        ...(claim === undefined ? {} : { [CLAIM_LABEL]: claim }),
        ...(meshId === undefined ? {} : { [MESH_ID_LABEL]: meshId }),
    };
    const annotations = owner === undefined ? {} : { "kilo-clustermesh.io/owner": owner };
    const ending = finalizers === undefined ? {} : { finalizers, deletionTimestamp: "2026-01-01T00:00:00Z" };
    return readPeer({
        metadata: { name, uid, labels, annotations, ...ending },
        spec: { allowedIPs: ["10.40.1.0/24"], publicKey: publicKey("paris", name) },
    })!;
}

/** In hub: what a lost stack left behind, and everything that only looks like it. */
export const LEFT_BEHIND: readonly PeerIn[] = [
    {
        name: "global--paris--paris-n1",
        claim: "lost-hub",
        meshId: "lost",
        mesh: "global",
        owner: "acme/net/old/global",
    },
    { name: "global--paris--paris-n2", claim: "lost-hub", meshId: "lost", mesh: "global" },
    {
        name: "global--paris--paris-n3",
        claim: "lost-hub",
        meshId: "lost",
        mesh: "global",
        finalizers: ["example.net/hold"],
    },
    { name: "global--paris--paris-n4", claim: "lost-hub-2", meshId: "lost", mesh: "global" },
    { name: "global--paris--paris-n5", claim: "alive", meshId: "alive", mesh: "global", owner: "acme/net/new/global" },
    { name: "global--paris--paris-n6", mesh: "global", owner: "acme/net/old/global" },
    { name: "road-warrior" },
];

export interface SweepWorld {
    readonly scenario: Scenario;
    readonly reach: Reach;
    /** Names of what was deleted, as `cluster/name uid`. */
    readonly deleted: string[];
    /** Peers of hub as they are now. */
    readonly hub: Map<string, LivePeer>;
}

export interface WorldOptions {
    readonly peers?: readonly PeerIn[];
    /** What happens between the list and the first delete. */
    readonly meanwhile?: (hub: Map<string, LivePeer>) => void;
    readonly onDelete?: (name: string) => DeleteOutcome | KubeError | undefined;
    readonly found?: Readonly<Record<string, Observation>>;
}

/** Clusters in memory; berlin has no peers, tokyo neither. */
export function sweepWorld({ peers = LEFT_BEHIND, meanwhile, onDelete, found = {} }: WorldOptions = {}): SweepWorld {
    const hub = new Map(peers.map((peer) => [peer.name, peerIn(peer)]));
    const deleted: string[] = [];
    const seen = (list: readonly LivePeer[], identity: string): Observation => {
        return { ok: true, nodes: [], peers: list, at: undefined, identity };
    };
    const reach: Reach = async () => {
        const clusters = {
            hub: seen([...hub.values()], "uid-hub"),
            berlin: seen([], "uid-berlin"),
            tokyo: seen([], "uid-tokyo"),
            ...found,
        };
        let isBefore = true;
        const change = (): void => {
            if (isBefore) meanwhile?.(hub);
            isBefore = false;
        };
        return {
            clusters,
            getPeer: async (_cluster, name) => {
                change();
                return hub.get(name);
            },
            deletePeer: async (cluster, name, uid) => {
                const answer = onDelete?.(name);
                if (answer instanceof KubeError) throw answer;
                if (answer !== undefined) return answer;
                if (hub.get(name)?.uid !== uid) return hub.has(name) ? "not-ours" : "gone";
                hub.delete(name);
                deleted.push(`${cluster}/${name} ${uid}`);
                return "deleted";
            },
            close: async () => undefined,
        };
    };
    return { scenario: healthy(), reach, deleted, hub };
}
