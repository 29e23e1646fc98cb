import type { LivePeer, Peer } from "../kilo/peer";
import { SOURCE_LABEL } from "../values/labels";
import { byText } from "../values/show";
import { difference } from "./compare";
import type { TargetRun } from "./run";

/** How a live peer differs from what is wanted. */
export interface Drift {
    readonly name: string;
    readonly kind: "missing" | "changed" | "labels" | "unclaimed" | "left over";
    readonly live?: LivePeer;
    readonly wanted?: Peer;
}

/** Where the live peers of a target are not what is wanted, by name. No part of a plan: it takes as long as planning. */
export function driftOf({ state, peers, labels, ours, unclaimed, unknown }: TargetRun): readonly Drift[] {
    if (state !== "seen") return [];
    const drift: Drift[] = [];
    let matched = 0;
    for (const [source, ofSource] of peers) {
        for (const [name, wanted] of ofSource) {
            const live = ours.get(name);
            if (live === undefined) {
                const bare = unclaimed.get(name);
                drift.push(bare === undefined ? { name, kind: "missing" } : { name, kind: "unclaimed", live: bare });
                continue;
            }
            matched++;
            const differs = difference(wanted, labels.get(source) ?? {}, live);
            if (differs !== undefined)
                drift.push({ name, kind: differs === "spec" ? "changed" : "labels", live, wanted });
        }
    }
    if (matched < ours.size) {
        const planned = new Set([...peers.values()].flatMap((ofSource) => [...ofSource.keys()]));
        for (const [name, live] of ours)
            if (!planned.has(name) && !isOfUnknown(live, unknown)) drift.push({ name, kind: "left over", live });
    }
    return drift.sort((a, b) => byText(a.name, b.name));
}

/** A peer of a source that is not known yet is neither wanted nor left over. */
export const isOfUnknown = ({ labels }: LivePeer, unknown: readonly string[]): boolean =>
    unknown.includes(labels[SOURCE_LABEL] ?? "");
