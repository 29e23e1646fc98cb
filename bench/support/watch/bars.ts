import { of } from "../case-figures";
import { atMost, type Bar, ofCase } from "../judging";
import { beyondQuiet, callsBeyondQuiet } from "./section";

export const WATCH_BARS: readonly Bar[] = [
    ...["a node joins", "a node leaves", "a new key", "a new endpoint", "a leader gone stale"].map(
        (change): Bar => ({
            figure: `\`watch\`, 3 × 3 nodes, ${change}: until the peers are there, beyond the quiet time, in \`up\`s that write one peer`,
            bar: "≤ 1.5 ×",
            scenario: "watch",
            judge: ofCase(change, (found) => atMost(beyondQuiet(found), 1.5)),
        }),
    ),
    {
        figure: "`watch --pulumi-stack`: until the Stack object is annotated, beyond the quiet time, in API calls",
        bar: "≤ 10",
        scenario: "watch-requests",
        judge: ofCase("3 × 3", (found) => atMost(callsBeyondQuiet(found), 10, "")),
    },
    {
        figure: "`watch` at rest, 200 × 20 nodes: runs started by heartbeats",
        bar: "0",
        scenario: "watch-idle",
        judge: ofCase("200 × 20", ({ facts: { runs = 0 } }) => atMost([runs], 0, "")),
    },
    {
        figure: "`watch` at rest, 200 × 20 nodes: CPU, of one core, median of all looks",
        bar: "< 5 %",
        scenario: "watch-idle",
        judge: ofCase("200 × 20", (found) => atMost(of(found, "cpu"), 5, " %")),
    },
    {
        figure: "`watch` at rest, 200 × 20 nodes: memory, the highest of all looks; its peak is in the table",
        bar: "< 200 MB",
        scenario: "watch-idle",
        judge: ofCase("200 × 20", (found) => atMost([Math.max(...of(found, "memory"))], 200, " MB")),
    },
];
