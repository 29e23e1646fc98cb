import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./support/check-types";

const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
const table = /## What you can rely on[\s\S]*?(?=\n## )/.exec(readme)?.[0] ?? "";
const promises = [...table.matchAll(/^\| (.+?) \| \[(.+?)\]\((tests\/e2e\/[^)]+)\) \|$/gm)].map(
    ([, promise, name, file]) => ({ promise: promise!, name: name!, file: file! }),
);

test("the README makes promises", () => expect(promises.length).toBeGreaterThan(10));

test.each(promises)("$promise: the README names a test that exists", ({ name, file }) => {
    expect(readFileSync(path.join(ROOT, file), "utf8")).toContain(`test("${name}"`);
});
