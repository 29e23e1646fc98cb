import type { LivePeer } from "../kilo/peer";
import type { KubeNode } from "../kilo/types";
import type { ClusterAccess } from "./auth/access";
import { type ClientOptions, clusterUid, openTransport } from "./client";
import { confirmMissing } from "./errors/missing-kind";
import { type FollowOptions, follow } from "./follow";
import { nodeReducer } from "./objects";
import { peerIn } from "./peer-calls";

interface Listener<T> {
    readonly signal: AbortSignal;
    readonly onEvent: FollowOptions<T>["onEvent"];
}

/** What is heard of one cluster until something fails; every failure is a KubeError. */
export interface ClusterWatch {
    followNodes(listener: Listener<KubeNode> & { readonly keepLabels?: readonly string[] }): Promise<never>;
    followPeers(listener: Listener<LivePeer>): Promise<never>;
    /** A small question with an answer in time: shows that the cluster is alive, and which one it is. */
    clusterUid(): Promise<string | undefined>;
    close(): Promise<void>;
}

export async function watchCluster(
    access: ClusterAccess,
    { timing, turns, ...options }: ClientOptions & Pick<FollowOptions<unknown>, "timing" | "turns">,
): Promise<ClusterWatch> {
    const { transport, bounds } = await openTransport(access, options);
    const shared = { ...(timing === undefined ? {} : { timing }), ...(turns === undefined ? {} : { turns }) };
    return {
        followNodes: ({ keepLabels, ...listener }) =>
            follow(transport, bounds, {
                resource: "nodes",
                reducer: () => nodeReducer(keepLabels),
                ...listener,
                ...shared,
            }),
        followPeers: (listener) =>
            confirmMissing(transport, () =>
                follow(transport, bounds, {
                    resource: "peers.kilo.squat.ai",
                    reducer: () => peerIn,
                    ...listener,
                    ...shared,
                }),
            ),
        clusterUid: () => clusterUid(transport),
        close: () => transport.close(),
    };
}
