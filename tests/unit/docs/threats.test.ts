import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./support/check-types";

const page = readFileSync(path.join(ROOT, "docs/security.md"), "utf8");
const table = /## Who could do harm[\s\S]*?(?=\n## )/.exec(page)?.[0] ?? "";
const rows = table.split("\n").filter((line) => /^\| (?!who )/.test(line));
const tests = [...table.matchAll(/\[([^\]]+)\]\(\.\.\/(tests\/[^)]+\.test\.ts)\)/g)].map(([, name, file]) => ({
    name: name!,
    file: file!,
}));

test("every threat has a test that shows what stops it", () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => !row.includes("](../tests/"))).toEqual([]);
});

test.each(tests)("the test that docs/security.md names exists: $name", ({ name, file }) => {
    expect(readFileSync(path.join(ROOT, file), "utf8")).toContain(`"${name}"`);
});
