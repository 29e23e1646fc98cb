import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ARGUMENT_FINDINGS } from "../../../provider/mesh/report/argument-findings";
import { ISSUE_CODES } from "../../../provider/mesh/report/findings";

const ROOT = join(__dirname, "../../..");
const page = readFileSync(join(ROOT, "docs/errors.md"), "utf8");
const listed = new Set([...page.matchAll(/^\| `([A-Za-z-]+)` \|/gm)].map(([, code]) => code!));

function sources(folder: string): string {
    return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(join(ROOT, folder, name), "utf8"))
        .join("\n");
}

const found = (text: string, pattern: RegExp): string[] => [
    ...new Set([...text.matchAll(pattern)].map(([, code]) => code!)),
];

const rowsOf = (heading: string): readonly string[] => {
    const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
    return [...section.matchAll(/^\| `([A-Za-z-]+)` \|/gm)].map(([, code]) => code!);
};

describe("docs/errors.md has an entry for", () => {
    test.each(ISSUE_CODES)("the finding %s", (code) => {
        const table = Object.hasOwn(ARGUMENT_FINDINGS, code) ? "Arguments" : "Warnings and notes of a plan";
        expect(rowsOf(table)).toContain(code);
    });

    test.each(
        found(
            /export type SkipReason =([^;]+);/.exec(readFileSync(join(ROOT, "provider/mesh/types.ts"), "utf8"))![1]!,
            /"([A-Za-z]+)"/g,
        ),
    )("the skip reason %s", (code) => expect(listed).toContain(code));

    test.each(
        found(
            /export type KubeErrorKind =([^;]+);/.exec(
                readFileSync(join(ROOT, "provider/kube/errors/kube-error.ts"), "utf8"),
            )![1]!,
            /\| "([a-z-]+)"/g,
        ),
    )("the kind of failure %s", (kind) => expect(listed).toContain(kind));

    const chosen = sources("cli/doctor")
        .split("\n")
        .filter((line) => /\bcode: /.test(line))
        .join("\n");
    test.each(found(chosen, /"([A-Z][a-z][A-Za-z]+)"/g))("the finding %s of doctor", (code) =>
        expect(rowsOf("Findings of `kilo-clustermesh doctor`")).toContain(code),
    );

    test.each(
        found(
            /export type BreakCode =([^;]+);/.exec(
                readFileSync(join(ROOT, "provider/mesh/trace/types.ts"), "utf8"),
            )![1]!,
            /"([A-Za-z]+)"/g,
        ),
    )("the break %s of trace", (code) => expect(rowsOf("Breaks of `kilo-clustermesh trace`")).toContain(code));
});

test.each(["Arguments", "Warnings and notes of a plan"])(
    "the table of %s is sorted and lists findings only",
    (heading) => {
        expect(rowsOf(heading)).toEqual([...new Set(rowsOf(heading))].sort());
        for (const code of rowsOf(heading)) expect(ISSUE_CODES).toContain(code);
    },
);

test("docs/errors.md lists no code that does not exist", () => {
    const code = sources("provider") + sources("sdk") + sources("cli");
    const issues: readonly string[] = ISSUE_CODES;
    const unknown = [...listed].filter((entry) => !issues.includes(entry) && !code.includes(`"${entry}"`));
    expect(unknown).toEqual([]);
});
