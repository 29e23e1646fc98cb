import type { LivePeer } from "../../provider/kilo/peer";
import type { KubeNode } from "../../provider/kilo/types";
import type { ClusterAccess } from "../../provider/kube/auth/access";
import type { Followed, FollowTiming } from "../../provider/kube/follow";
import type { Clock } from "../../provider/kube/http/clock";
import type { Turns } from "../../provider/kube/turns";
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
    readonly turns?: Turns;
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

export interface MemberWatch {
    /** Resolves after the signal. */
    readonly done: Promise<void>;
    /** Begins again at once; resolves when the member was heard of, or has failed. */
    again(): Promise<void>;
}

/** Hears of one member until the signal; what fails is tried again, later each time, and holds up nobody else. */
export function watchMember(options: MemberWatchOptions): MemberWatch {
    const { clock, signal, timing = {} } = options;
    const longest = (timing.longestPauseSeconds ?? LONGEST_PAUSE_SECONDS) * 1000;
    const waiting: (() => void)[] = [];
    let attempt = new AbortController();
    const tellWaiting = (): void => {
        for (const tell of waiting.splice(0)) tell();
    };
    const attemptOnce = async (failures: number): Promise<number> => {
        attempt = new AbortController();
        const current = AbortSignal.any([signal, attempt.signal]);
        const began = clock.now();
        let wasSeen = false;
        let next = failures;
        try {
            await watchOnce(options, current, () => {
                wasSeen = true;
                tellWaiting();
            });
        } catch (error) {
            if (current.aborted) return failures;
            const cause = error instanceof Dead ? error.cause : error;
            // a stream that broke says little: the list that follows says what state the member is in
            if (!wasSeen || error instanceof Dead) options.onFailure(failedObservation(cause));
            if (!wasSeen) tellWaiting();
            // one that breaks at once, every time, is not listed several times a second
            next = wasSeen && clock.now() - began >= longest ? 1 : failures + 1;
        }
        await clock.sleep(Math.min(longest, 250 * 2 ** Math.min(next, 20)) * (0.5 + clock.random() / 2), current);
        return next;
    };
    const watchAll = async (): Promise<void> => {
        try {
            for (let failures = 0; !signal.aborted; ) failures = await attemptOnce(failures);
        } finally {
            tellWaiting();
        }
    };
    const done = watchAll();
    return {
        done,
        again: () => {
            if (signal.aborted) return Promise.resolve();
            const heard = new Promise<void>((resolve) => waiting.push(resolve));
            attempt.abort();
            return heard;
        },
    };
}

/** `onAll` is called once nodes, peers and identity were heard: what the state of the member is made of. */
async function watchOnce(options: MemberWatchOptions, outer: AbortSignal, onAll: () => void): Promise<void> {
    const { requestTimeoutSeconds, clock, timing = {}, keepLabels } = options;
    const awaited = new Set(["nodes", "peers", "identity"]);
    const hear = (part: string): void => {
        if (awaited.delete(part) && awaited.size === 0) onAll();
    };
    const watch = await watchCluster(await options.access(), {
        retries: "brief",
        requestTimeoutSeconds,
        clock,
        ...(options.turns === undefined ? {} : { turns: options.turns }),
        ...(timing.follow === undefined ? {} : { timing: timing.follow }),
    });
    const stop = new AbortController();
    const signal = AbortSignal.any([outer, stop.signal]);
    let lastHeard = clock.now();
    const listener = <T>(key: "nodes" | "peers", pass: (event: Followed<T>) => void) => ({
        signal,
        onEvent: (event: Followed<T>): void => {
            lastHeard = clock.now();
            pass(event);
            hear(key);
        },
    });
    const onIdentity = (uid: string | undefined): void => {
        options.onIdentity(uid);
        hear("identity");
    };
    const probing = probe(watch, { ...options, onIdentity }, signal, () => lastHeard);
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
    const first = await watch.clusterUid();
    signal.throwIfAborted();
    onIdentity(first);
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
