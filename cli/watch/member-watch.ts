import type { LivePeer } from "../../provider/kilo/peer";
import type { KubeNode } from "../../provider/kilo/types";
import type { ClusterAccess } from "../../provider/kube/auth/access";
import type { Followed, FollowTiming } from "../../provider/kube/follow";
import type { Clock } from "../../provider/kube/http/clock";
import { type ClusterWatch, watchCluster } from "../../provider/kube/watch-client";
import { type FailedObservation, failedObservation } from "../../provider/observe/observe-clusters";

export interface MemberWatchOptions {
    /** Read again for every attempt: a token may have been renewed. */
    readonly access: () => Promise<ClusterAccess>;
    readonly keepLabels: readonly string[];
    readonly requestTimeoutSeconds: number;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly timing?: MemberTiming;
    onNodes(event: Followed<KubeNode>): void;
    onPeers(event: Followed<LivePeer>): void;
    onIdentity(uid: string | undefined): void;
    onFailure(failure: FailedObservation): void;
}

export interface MemberTiming {
    readonly follow?: Partial<FollowTiming>;
    /** After so long without an event the member is asked whether it is alive. */
    readonly probeSeconds?: number;
    readonly longestPauseSeconds?: number;
}

const PROBE_SECONDS = 15;
const LONGEST_PAUSE_SECONDS = 30;

/** A member did not answer when it was asked whether it is alive. */
class Dead extends Error {
    constructor(override readonly cause: unknown) {
        super("no answer");
    }
}

/** Hears of one member until the signal; what fails is tried again, later each time, and holds up nobody else. */
export async function watchMember(options: MemberWatchOptions): Promise<void> {
    const { clock, signal, timing = {} } = options;
    const longest = (timing.longestPauseSeconds ?? LONGEST_PAUSE_SECONDS) * 1000;
    for (let failures = 0; !signal.aborted; ) {
        const heard = { nodes: false, peers: false };
        try {
            await watchOnce(options, heard);
        } catch (error) {
            if (signal.aborted) return;
            const wasSeen = heard.nodes && heard.peers;
            const cause = error instanceof Dead ? error.cause : error;
            // a stream that broke says little: the list that follows says what state the member is in
            if (!wasSeen || error instanceof Dead) options.onFailure(failedObservation(cause));
            failures = wasSeen ? 1 : failures + 1;
        }
        await clock.sleep(Math.min(longest, 250 * 2 ** Math.min(failures, 20)) * (0.5 + clock.random() / 2), signal);
    }
}

async function watchOnce(options: MemberWatchOptions, heard: { nodes: boolean; peers: boolean }): Promise<void> {
    const { requestTimeoutSeconds, clock, timing = {}, keepLabels } = options;
    const watch = await watchCluster(await options.access(), {
        patience: "brief",
        requestTimeoutSeconds,
        clock,
        ...(timing.follow === undefined ? {} : { timing: timing.follow }),
    });
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    let lastHeard = clock.now();
    const listener = <T>(key: "nodes" | "peers", pass: (event: Followed<T>) => void) => ({
        signal,
        onEvent: (event: Followed<T>): void => {
            lastHeard = clock.now();
            heard[key] = true;
            pass(event);
        },
    });
    const probing = probe(watch, options, signal, () => lastHeard);
    const followed = [
        watch.followNodes({ ...listener<KubeNode>("nodes", options.onNodes), keepLabels }),
        watch.followPeers(listener<LivePeer>("peers", options.onPeers)),
        probing,
    ];
    try {
        await Promise.race(followed);
    } finally {
        stop.abort();
        for (const each of followed) each.catch(() => undefined);
        await watch.close();
    }
}

/** Asks which cluster it is, at first and whenever nothing was heard for a while. */
async function probe(
    watch: ClusterWatch,
    { clock, timing = {}, onIdentity }: MemberWatchOptions,
    signal: AbortSignal,
    lastHeard: () => number,
): Promise<never> {
    const pause = (timing.probeSeconds ?? PROBE_SECONDS) * 1000;
    onIdentity(await watch.clusterUid());
    for (let asked = clock.now(); ; ) {
        await clock.sleep(Math.max(1, Math.max(lastHeard(), asked) + pause - clock.now()), signal);
        signal.throwIfAborted();
        if (clock.now() - Math.max(lastHeard(), asked) < pause) continue;
        const uid = await watch.clusterUid().catch((error: unknown) => {
            throw new Dead(error);
        });
        signal.throwIfAborted();
        asked = clock.now();
        onIdentity(uid);
    }
}
