import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { readArguments } from "../../../cli/arguments";
import { scenes } from "../../../tools/examples/scenes";
import { optionsOf, ROOT, typeErrors } from "./support/check-types";
import { codeBlocks, pages } from "./support/code-blocks";
import { flagsIn, type ShellCommand, shellCommands } from "./support/shell-commands";

jest.setTimeout(300_000);

const blocks = pages().flatMap(codeBlocks);
const of = (language: string) => blocks.filter((block) => block.language === language);
const where = ({ file, line }: { file: string; line: number }): string => `${file}:${line}`;

test("every block says what it is, in a language that is checked; `text` is what a program prints", () => {
    const known = new Set(["ts", "sh", "yaml", "json", "text", "mermaid", "python", "go"]);
    const unknown = blocks.filter(({ language }) => !known.has(language));
    expect(unknown.map((block) => `${where(block)}: \`${block.language}\``)).toEqual([]);
});

/**
 * The reference's examples of single arguments are no modules; tests/unit/docs/reference.test.ts compiles them. Those of
 * docs/testing.md are files of one project; tests/unit/docs/testing-page.test.ts compiles and runs them.
 */
const isModule = ({ file, text }: { file: string; text: string }): boolean =>
    file !== "docs/testing.md" && (!file.startsWith("docs/reference/") || text.startsWith("import "));

test("every TypeScript block compiles against the package, as a module of its own", () => {
    const virtual = new Map(
        of("ts")
            .filter(isModule)
            .map(({ file, line, text, given }) => {
                // In the root, so that blocks for contributors can name our own files; the line numbers are the page's.
                const name = path.join(ROOT, `${file.replaceAll(path.sep, "__")}.block-at-line-${line}.ts`);
                return [name, `${given.replaceAll("\n", " ")} export {};\n${text}\n`];
            }),
    );
    expect(virtual.size).toBeGreaterThan(0);
    const options = optionsOf(path.join(ROOT, "examples/two-clusters/tsconfig.json"));
    expect(typeErrors([...virtual.keys()], { ...options, rootDir: ROOT }, virtual)).toEqual([]);
});

test("every YAML and JSON block can be read", () => {
    for (const block of of("yaml")) expect(parseAllDocuments(block.text).flatMap(({ errors }) => errors)).toEqual([]);
    for (const block of of("json")) expect(() => JSON.parse(block.text)).not.toThrow();
});

const commands = of("sh").flatMap(shellCommands);
const running = (program: string): ShellCommand[] => commands.filter(({ words }) => words[0] === program);
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
};

/** Where the flags of a script are declared: a page may only use those. */
const SCRIPT_SOURCES: Readonly<Record<string, string>> = {
    start: "tools/quickstart/command.ts",
    clusters: "tools/clusters/command.ts",
    release: "tools/release/command.ts",
};

test("every shell block uses programs that the reader was told to have", () => {
    const known = new Set([
        "npm",
        "npx",
        "pulumi",
        "kubectl",
        "git",
        "cd",
        "eval",
        "export",
        "umask",
        "cat",
        "cp",
        "sed",
        "echo",
        "jq",
        "dot",
        "python3",
        "venv/bin/pip",
        "go",
        "tar",
    ]);
    expect(
        commands.filter(({ words }) => !known.has(words[0]!)).map((each) => `${where(each)}: ${each.words[0]}`),
    ).toEqual([]);
});

test("every npm script, and every flag that is given to one, exists", () => {
    const bad = running("npm").filter(({ words }) => {
        const [, verb, name] = words.filter((word) => word !== "--silent");
        if (["ci", "install", "pack", "init"].includes(verb!)) return false;
        const script = verb === "run" ? name! : verb!;
        if (!(script in scripts)) return true;
        const given = words.slice(words.indexOf("--") + 1);
        if (!words.includes("--")) return false;
        if (script === "example") return !(given[0]! in scenes);
        const source = readFileSync(path.join(ROOT, SCRIPT_SOURCES[script] ?? "package.json"), "utf8");
        return flagsIn(given).some((flag) => !new RegExp(`\\b${flag.slice(2)}"?: \\{`).test(source));
    });
    expect(bad.map((each) => `${where(each)}: ${each.words.join(" ")}`)).toEqual([]);
});

test("every kilo-clustermesh command line is accepted by the command itself", () => {
    const lines = running("npx").filter(({ words }) => words.includes("kilo-clustermesh"));
    for (const line of lines) {
        const words = line.words.slice(line.words.indexOf("kilo-clustermesh") - 1);
        const redirected = words.findIndex((word) => /^\d?>/.test(word));
        const args = words.slice(2, redirected < 0 ? undefined : redirected);
        expect(readArguments(args)).toMatchObject({ kind: expect.stringMatching(/run|help|version/) });
    }
});

test("every link to a file of this repository leads somewhere", () => {
    const dead = pages().flatMap((file) => {
        const text = readFileSync(path.join(ROOT, file), "utf8").replace(/```[\s\S]*?```/g, "");
        const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
        return targets
            .filter((target) => !/^(https?:|mailto:|#)/.test(target))
            .filter((target) => !existsSync(path.join(ROOT, path.dirname(file), target.replace(/#.*$/, ""))))
            .map((target) => `${file}: ${target}`);
    });
    expect(dead).toEqual([]);
});

test("every link to a heading of a page leads to one", () => {
    const dead = pages().flatMap((file) => {
        const text = readFileSync(path.join(ROOT, file), "utf8");
        return [...text.matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g)]
            .filter(
                ([, page]) =>
                    page === "" || (page!.endsWith(".md") && existsSync(path.join(ROOT, path.dirname(file), page!))),
            )
            .filter(([, page, anchor]) => {
                const target = page === "" ? text : readFileSync(path.join(ROOT, path.dirname(file), page!), "utf8");
                return !headings(target).has(anchor!);
            })
            .map(([link]) => `${file}: ${link}`);
    });
    expect(dead).toEqual([]);
});

/** The anchors that GitHub makes of a page's headings. */
function headings(text: string): Set<string> {
    const plain = text.replace(/^```[\s\S]*?^```/gm, "");
    const slugs = [...plain.matchAll(/^#+ +(.*)$/gm)].map(([, title]) =>
        title!
            .toLowerCase()
            .replace(/[^\p{L}\p{N}\s_-]/gu, "")
            .trim()
            .replace(/\s/g, "-"),
    );
    return new Set(slugs);
}
