import type { WatchedEvent } from "../../../tests/support/peer-invariants";
import { type LocalCluster, nodeSpecs, publicKey } from "../../../tools/clusters";
import { HEALTHY } from "../workplace";

/** A change in one cluster that peers in others follow. */
export interface Change {
    readonly name: string;
    /** Where the peers are that follow it. */
    readonly targets: readonly LocalCluster[];
    /** The write to a peer that says it was followed. */
    readonly isFollowed: (event: WatchedEvent) => boolean;
    /** Makes it, and says from when on it is there, by `performance.now()`. */
    make(): Promise<number>;
}

/** Meshed by location: one leader stands for its nodes. */
export const SITE = { granularity: "location", location: "site" } as const;

/** Kilo takes a node for stale after so many seconds. */
const SECONDS_TO_STALE = 60;

/**
 * One of each kind, in an order that ends with the nodes there were before. A node of the first cluster joins, changes and
 * leaves; the last cluster is one location, whose leader grows stale and is back.
 */
export function changesOf(clusters: readonly LocalCluster[], nodes: number, at: number): readonly Change[] {
    const [source, site] = [clusters[0]!, clusters.at(-1)!];
    const targets = clusters.slice(1);
    const joining = nodeSpecs(source, nodes + 1, HEALTHY).at(-1)!;
    const peer = `bench--${source.name}--${joining.name}`;
    const [key, endpoint] = [publicKey(source.name, `key ${at}`), `198.51.100.${at}`];
    const leader = `${site.name}-n1`;
    const written = (event: WatchedEvent): boolean => event.type !== "DELETED" && event.object.metadata.name === peer;
    const now = async (make: () => Promise<void>): Promise<number> => {
        const begun = performance.now();
        await make();
        return begun;
    };
    const annotate = (name: string, value: string) => () =>
        now(() => source.patchNodeAnnotations(joining.name, { [`kilo.squat.ai/${name}`]: value }));
    const led = (by: string) => (event: WatchedEvent) => event.object.spec.publicKey === publicKey(site.name, by);
    return [
        { name: "a node joins", targets, isFollowed: written, make: () => now(() => source.putNode(joining)) },
        {
            name: "a new key",
            targets,
            isFollowed: (event) => written(event) && event.object.spec.publicKey === key,
            make: annotate("key", key),
        },
        {
            name: "a new endpoint",
            targets,
            isFollowed: (event) => written(event) && JSON.stringify(event.object.spec).includes(`"${endpoint}"`),
            make: annotate("endpoint", `${endpoint}:51820`),
        },
        {
            name: "a node leaves",
            targets,
            isFollowed: ({ type, object }) => type === "DELETED" && object.metadata.name === peer,
            make: () => now(() => source.deleteNode(joining.name)),
        },
        {
            name: "a leader gone stale",
            targets: clusters.slice(0, -1),
            isFollowed: led(`${site.name}-n2`),
            async make() {
                // in two seconds nobody has seen it for a minute
                const stale = Math.floor(Date.now() / 1000) + 3;
                await site.patchNodeAnnotations(leader, { [LAST_SEEN]: String(stale - SECONDS_TO_STALE) });
                return stale * 1000 - performance.timeOrigin;
            },
        },
        {
            name: "a leader is back",
            targets: clusters.slice(0, -1),
            isFollowed: led(leader),
            make: () => now(() => site.patchNodeAnnotations(leader, { [LAST_SEEN]: String(HEALTHY.lastSeen) })),
        },
    ];
}

const LAST_SEEN = "kilo.squat.ai/last-seen";
