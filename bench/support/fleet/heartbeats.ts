import type { ApiDouble, DoubleNode } from "../../../tests/support/api-double";

export interface Heartbeats {
    /** So far. */
    readonly count: number;
    stop(): void;
}

const TICK_MS = 100;
const BOOKMARK_MS = 60_000;

/** Every node of every double checks in every so many seconds, one after the other; bookmarks come as from a real server. */
export function startHeartbeats(doubles: readonly ApiDouble[], seconds: number): Heartbeats {
    const all = doubles.flatMap((double) => [...double.nodes.keys()].map((name) => ({ double, name })));
    const begun = performance.now();
    let count = 0;
    const beat = setInterval(() => {
        const due = Math.floor(((performance.now() - begun) / (seconds * 1000)) * all.length);
        for (; count < due; count++) {
            const { double, name } = all[count % all.length]!;
            const node = double.nodes.get(name);
            if (node !== undefined) double.putNode(checkedIn(node));
        }
    }, TICK_MS);
    const bookmark = setInterval(() => {
        for (const double of doubles) double.bookmark();
    }, BOOKMARK_MS);
    return {
        get count() {
            return count;
        },
        stop() {
            clearInterval(beat);
            clearInterval(bookmark);
        },
    };
}

const checkedIn = (node: DoubleNode): DoubleNode => ({
    ...node,
    metadata: {
        ...node.metadata,
        annotations: { ...node.metadata.annotations, "kilo.squat.ai/last-seen": String(Math.floor(Date.now() / 1000)) },
    },
});
