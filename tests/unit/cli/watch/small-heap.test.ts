import { execFileSync } from "node:child_process";
import { join } from "node:path";

const GROW = `
    const { getHeapSpaceStatistics } = require("node:v8");
    if (process.argv[1] !== "") require(process.argv[1]).keepHeapSmall();
    const kept = [];
    for (let round = 0; round < 40; round++) {
        kept.length = 0;
        for (let at = 0; at < 100_000; at++) kept.push({ at, text: "n" + at });
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
`;

/** Bytes that V8 holds for new objects after much work, in a process of its own: what is set there is never unset. */
const youngAfterWork = (module: string): number =>
    Number(execFileSync(process.execPath, ["--import", "tsx", "-e", GROW, module], { encoding: "utf8" }));

test("a watcher's memory for new objects does not grow with what passes through it", () => {
    const small = youngAfterWork(join(__dirname, "../../../../cli/watch/small-heap.ts"));
    expect(small).toBeLessThan(youngAfterWork("") / 2);
});
