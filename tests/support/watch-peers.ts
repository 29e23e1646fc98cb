import { request } from "undici";
import { thisMachine } from "../../provider/kube/auth/surroundings";
import { systemClock } from "../../provider/kube/http/clock";
import { openSession } from "../../provider/kube/http/session";
import { PeerInvariants, type WatchedEvent, type WatchedPeer } from "./peer-invariants";

const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";

export interface PeerWatch {
    readonly invariants: PeerInvariants;
    /** Every event since the start. */
    readonly events: readonly WatchedEvent[];
    /** Waits until every write before this call was seen. */
    settle(): Promise<void>;
    /** The same, then ends the watch. */
    stop(): Promise<PeerInvariants>;
}

interface Line {
    readonly type: WatchedEvent["type"] | "BOOKMARK" | "ERROR";
    readonly object: WatchedPeer & { readonly metadata: { readonly resourceVersion: string } };
}

/** Checks the invariants at every write that a real API server records. Needs an account that may watch: the admin. */
export async function watchPeers(
    adminKubeconfig: string,
    counts?: (peer: WatchedPeer) => boolean,
    /** Called with each write as it is seen; with all that were missed at once where the watch had to begin again. */
    note: (...events: readonly WatchedEvent[]) => void = () => undefined,
): Promise<PeerWatch> {
    const { dispatcher, credentials } = await openSession(
        { cluster: "watched", kubeconfig: adminKubeconfig },
        { clock: systemClock, connections: 4, requestTimeoutSeconds: 10, surroundings: thisMachine() },
    );
    const { origin } = credentials.server;
    const get = (path: string) => request(origin + path, { dispatcher, headers: credentials.headers });
    const list = async () => {
        const { statusCode, body } = await get(PEERS);
        // A server that is just starting does not know the kind yet: that is no empty list.
        if (statusCode !== 200) throw new Error(`peers cannot be listed: ${statusCode} ${await body.text()}`);
        return (await body.json()) as { items: WatchedPeer[]; metadata: { resourceVersion: string } };
    };
    const invariants = new PeerInvariants(counts);
    const events: WatchedEvent[] = [];
    const first = await list();
    for (const object of first.items) invariants.apply({ type: "ADDED", object });
    let seen = BigInt(first.metadata.resourceVersion);
    let stopped = false;
    /** A server that was restarted may not know the version any more: what it holds now is compared with what was seen. */
    const resync = async (): Promise<void> => {
        const { items, metadata } = await list();
        const missed = differences(invariants.peers(), items);
        if (missed.length > 0) note(...missed);
        // All at once: one after the other, two peers that have changed places would seem to clash.
        for (const object of invariants.peers()) invariants.apply({ type: "DELETED", object });
        for (const object of items) invariants.apply({ type: "ADDED", object });
        seen = BigInt(metadata.resourceVersion);
    };
    const take = async (line: string): Promise<void> => {
        const { type, object } = JSON.parse(line) as Line;
        if (type === "ERROR") return resync();
        seen = BigInt(object.metadata.resourceVersion);
        if (type === "BOOKMARK") return;
        events.push({ type, object });
        note({ type, object });
        invariants.apply({ type, object });
    };
    const reader = (async () => {
        while (!stopped) {
            const query = new URLSearchParams({
                watch: "1",
                allowWatchBookmarks: "true",
                resourceVersion: String(seen),
            });
            try {
                // A server that goes away and comes back goes on where it was: the version says from where.
                const { statusCode, body } = await get(`${PEERS}?${query}`);
                if (statusCode === 200) for await (const line of linesOf(body)) await take(line);
                else await body.dump().then(resync);
            } catch {
                // The server is away: the next round asks again.
            }
            await new Promise((resolve) => setTimeout(resolve, 25));
        }
    })();
    const caughtUp = async (): Promise<boolean> => {
        const latest = await list();
        const names = (peers: Iterable<string>): string => [...peers].sort().join();
        const wanted = names(latest.items.map((peer) => peer.metadata.name));
        const newest = latest.items.map((peer) => BigInt((peer as Line["object"]).metadata.resourceVersion));
        const behind = (): boolean => newest.some((version) => version > seen) || names(invariants.names()) !== wanted;
        for (let round = 0; behind() && round < 50; round++) await new Promise((resolve) => setTimeout(resolve, 10));
        return !behind();
    };
    const settle = async (): Promise<void> => {
        for (let round = 0; round < 50; round++) if (await caughtUp()) return;
        throw new Error("the watch did not see every write");
    };
    return {
        invariants,
        events,
        settle,
        async stop() {
            try {
                await settle();
            } finally {
                stopped = true;
                await dispatcher.destroy();
                await reader;
            }
            return invariants;
        },
    };
}

function differences(before: readonly WatchedPeer[], after: readonly WatchedPeer[]): readonly WatchedEvent[] {
    const known = new Map(before.map((peer) => [peer.metadata.name, JSON.stringify(peer)]));
    const names = new Set(after.map(({ metadata }) => metadata.name));
    const gone = before.filter(({ metadata }) => !names.has(metadata.name));
    const changed = after.filter((peer) => known.get(peer.metadata.name) !== JSON.stringify(peer));
    return [
        ...gone.map((object): WatchedEvent => ({ type: "DELETED", object })),
        ...changed.map(
            (object): WatchedEvent => ({ type: known.has(object.metadata.name) ? "MODIFIED" : "ADDED", object }),
        ),
    ];
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
    }
}
