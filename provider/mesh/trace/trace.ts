import { planes } from "./plane";
import type { Hop, Leg, Place, TraceInput } from "./types";
import { walk } from "./walk";

export interface Trace {
    readonly there: Leg;
    /** Absent where the packet does not get there. */
    readonly back?: Leg;
    /** By the objects, the packet gets there and its answer back. */
    readonly ok: boolean;
    /** Every tunnel on the way was seen by both of its ends. */
    readonly seen: boolean;
}

export type Tracer = (from: Place & { readonly node: string }, to: Place) => Trace;

/** Tells what becomes of a packet and of its answer, between clusters that could be read. */
export function tracer(input: TraceInput): Tracer {
    const world = planes(input);
    return (from, to) => {
        const there = walk({ from, to, answers: false }, world, input);
        const { hops } = there;
        if (there.breaks !== undefined) return { there: { hops, breaks: there.breaks }, ok: false, seen: false };
        const answer = { ...to, node: there.last.node.name };
        const { last: _, ...back } = walk({ from: answer, to: from, answers: true }, world, input);
        const ok = back.breaks === undefined;
        return { there: { hops }, back, ok, seen: ok && [...hops, ...back.hops].every(wasSeen) };
    };
}

const wasSeen = (hop: Hop): boolean => hop.kind !== "tunnel" || (hop.seenBy.from && hop.seenBy.to);
