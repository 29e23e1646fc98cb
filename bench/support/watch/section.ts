import { fact, of, seconds } from "../case-figures";
import type { Case } from "../results";
import { median, pairwise } from "../statistics";
import { figure, short, table } from "../table";

/** A schedule as examples/continuous has it. */
const INTERVAL_SECONDS = 300;

/** What a change takes beyond the quiet time, in `up`s that write one peer. */
export const beyondQuiet = (each: Case): number[] =>
    pairwise((a, b) => (a! - fact(each, "quietMs")) / b!, of(each, "followed"), of(each, "up"));

/** What a request takes beyond the quiet time, in API calls. */
export const callsBeyondQuiet = (each: Case): number[] =>
    pairwise((a, b) => (a! - fact(each, "quietMs")) / b!, of(each, "request"), of(each, "call"));

export const watchSection = (cases: readonly Case[]): string =>
    [
        "### `watch`: from a change until its peers are in the other clusters",
        "3 clusters × 3 nodes. The `up` is one that writes one peer, of the same repetition and by hand; before or after the watched part in turn. A schedule needs the same " +
            `\`up\` and half its interval on average, ${INTERVAL_SECONDS / 60} minutes here. Until the run begins: the quiet time of 1 s and what is ours.`,
        table(
            [
                "change",
                "times",
                "until the run begins",
                "until the peers are there",
                "that `up`",
                "beyond the quiet time, in such `up`s",
                "by a schedule, on average",
                "runs per change",
            ],
            cases.map((each) => [
                each.name,
                String(of(each, "followed").length),
                seconds(of(each, "started")),
                seconds(of(each, "followed")),
                seconds(of(each, "up")),
                figure(beyondQuiet(each), "×"),
                `${short(INTERVAL_SECONDS / 2 + median(of(each, "up")) / 1000)} s`,
                figure(of(each, "runs")),
            ]),
        ),
    ].join("\n\n");

export const watchRequestsSection = (cases: readonly Case[]): string =>
    [
        "### `watch --pulumi-stack`: from a change until the Stack object is annotated",
        "A call is a change of an annotation of that object by the same account, over a connection that is open; medians of ten, around each change.",
        table(
            ["clusters × nodes", "changes", "until it is annotated", "one call", "beyond the quiet time, in calls"],
            cases.map((each) => [
                each.name,
                String(of(each, "request").length),
                seconds(of(each, "request")),
                figure(of(each, "call"), " ms"),
                figure(callsBeyondQuiet(each)),
            ]),
        ),
    ].join("\n\n");

export const watchIdleSection = (cases: readonly Case[]): string =>
    [
        "### `watch` at rest: members × nodes, each node checks in every 30 s",
        "API doubles with TLS in a process of their own, nodes of some 10 kB, as real ones have, hub and spokes, every peer in place. CPU in hundredths of one core; " +
            "CPU and memory by a look every 10 s, from 10 s after it came to rest. The peak is the kernel's, over the whole life of the process: its start, which lists every member, is in it.",
        table(
            [
                "members × nodes",
                "measured for",
                "heartbeats",
                "runs started",
                "CPU",
                "memory",
                "peak since its start",
                "ready after",
            ],
            cases.map((each) => [
                each.name,
                `${fact(each, "seconds")} s`,
                short(fact(each, "heartbeats")),
                String(fact(each, "runs")),
                figure(of(each, "cpu"), " %"),
                figure(of(each, "memory"), " MB"),
                figure(of(each, "peak"), " MB"),
                seconds(of(each, "ready")),
            ]),
        ),
    ].join("\n\n");
