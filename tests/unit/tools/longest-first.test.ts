import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../../..");

interface TestFile {
    readonly path: string;
    readonly context: object;
}
interface Sequencer {
    sort(tests: readonly TestFile[]): readonly TestFile[];
}
const LongestFirst: {
    new (): Sequencer;
    readonly LONG: readonly string[];
} = require("../../../tools/test/longest-first.cjs");
const { LONG } = LongestFirst;

/** Without a cache, jest's own order is by size. */
const inOrder = (sizes: Readonly<Record<string, number>>): readonly string[] => {
    const context = {
        config: { rootDir: ROOT, cache: false },
        hasteFS: { getSize: (path: string) => sizes[path.slice(ROOT.length + 1)] },
    };
    const files = Object.keys(sizes).map((name) => ({ path: join(ROOT, name), context }));
    return new LongestFirst().sort(files).map(({ path }) => path.slice(ROOT.length + 1));
};

test("every file that is listed as long is there, and listed once", () => {
    expect(LONG.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
    expect(new Set(LONG).size).toBe(LONG.length);
});

test("what takes long begins first, the longest of all before the others, whatever its size", () => {
    const sizes = { "tests/a.test.ts": 10, [LONG[1]!]: 5, "tests/b.test.ts": 20, [LONG[0]!]: 1 };
    expect(inOrder(sizes)).toEqual([LONG[0], LONG[1], "tests/b.test.ts", "tests/a.test.ts"]);
});
