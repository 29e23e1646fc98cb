import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./support/check-types";
import { missingPages, missingSections, repositoryFiles } from "./support/citations";

const files = repositoryFiles();
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const isCode = (file: string): boolean => file.endsWith(".ts");
const isText = (file: string): boolean =>
    isCode(file) || file === "README.md" || /^docs\/.*\.md$/.test(file) || file.startsWith("examples/");

const FACTS = ["docs/kilo.md", "docs/pulumi.md"];

test("every page that the code or the docs cite is in the repository", () => {
    const missing = files.filter(isText).flatMap((file) => missingPages(read(file), files).map((p) => `${file}: ${p}`));
    expect(missing).toEqual([]);
});

test.each(FACTS)("every section of %s that a comment cites is a heading there", (page) => {
    const text = read(page);
    const missing = files.filter(isCode).flatMap((file) => {
        return missingSections(read(file), page, text).map((section) => `${file}: ${section}`);
    });
    expect(missing).toEqual([]);
});

describe("the check notices", () => {
    const gone = `GONE${".md"}`;
    const heading = `${FACTS[0]}: one`;

    test("a page that is nowhere, and one that is not where its path says", () => {
        expect(missingPages(`see ${gone} §2, ${gone}`, ["README.md"])).toEqual([gone]);
        expect(missingPages(`docs/${gone}`, [`docs/old/${gone}`])).toEqual([`docs/${gone}`]);
    });

    test("nothing in a page that is found by its name, or is on the web", () => {
        expect(missingPages(`../${gone}, https://example.org/${gone}`, [`docs/${gone}`])).toEqual([]);
    });

    test("a section that is not a heading, also where a comment is wrapped", () => {
        const pageText = "# Page\n### One entry per key\n";
        expect(missingSections(`/** (${heading} entry\n * per key). */`, FACTS[0]!, pageText)).toEqual([]);
        expect(missingSections(`// ${heading} entry per keyhole`, FACTS[0]!, pageText)).toHaveLength(1);
    });
});
