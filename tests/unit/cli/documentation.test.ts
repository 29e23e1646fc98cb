import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readArguments } from "../../../cli/arguments";
import { CHECKS } from "../../../cli/doctor/finding";
import { parseMeshText } from "../../../cli/mesh-file";
import { golden } from "./support/golden";

const PAGE = readFileSync(path.join(__dirname, "../../../docs/cli.md"), "utf8");
const blocks = [...PAGE.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language!,
    text: text!,
}));
const goldens = readdirSync(path.join(__dirname, "golden")).filter((name) => /\.(txt|mmd)$/.test(name));

test("every output in docs/cli.md is one that was tested", () => {
    const tested = new Set(goldens.map(golden));
    const outputs = blocks.filter(({ language }) => language === "text" || language === "mermaid");
    expect(outputs.filter(({ text }) => !tested.has(text))).toEqual([]);
    expect(outputs.length).toBeGreaterThanOrEqual(8);
});

test.each(["healthy", "dead", "drift", "forged"])(
    "docs/cli.md shows status and doctor of a mesh that is %s",
    (name) => {
        expect(PAGE).toContain(golden(`status-${name}.txt`));
        expect(PAGE).toContain(golden(`doctor-${name}.txt`));
    },
);

test.each(["blocked", "stale-leader", "no-way-back", "passive-nat"])(
    "docs/cli.md shows what status, doctor and trace say of tunnels in a mesh that is %s",
    (name) => {
        expect(PAGE).toContain(golden(`status-${name}.txt`));
        expect(PAGE).toContain(golden(`doctor-${name}.txt`));
        expect(PAGE).toContain(golden(`trace-${name}.txt`));
    },
);

test("docs/cli.md shows how a member that is unusable differs from one that is silent", () => {
    expect(PAGE).toContain(golden("status-locked.txt"));
});

test("every mesh file in docs/cli.md is one that the command accepts", () => {
    const files = blocks.filter(({ language }) => language === "yaml");
    expect(files).not.toEqual([]);
    for (const { text } of files) expect(parseMeshText(text, "mesh.yaml", "/").clusters.length).toBeGreaterThan(1);
});

test("every command line in docs/cli.md is one that the command accepts", () => {
    const lines = blocks
        .filter(({ language }) => language === "sh")
        .flatMap(({ text }) =>
            [...text.matchAll(/^npx kilo-clustermesh ([^|>#\n]*)/gm)].map(([, line]) => line!.trim()),
        );
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(() => readArguments(line.split(/\s+/))).not.toThrow();
});

test("every block in docs/cli.md is of a kind that is tested", () => {
    const kinds = new Set(blocks.map(({ language }) => language));
    expect([...kinds].filter((kind) => !["text", "mermaid", "yaml", "sh"].includes(kind))).toEqual([]);
});

test("every check of doctor is explained in docs/cli.md", () => {
    for (const check of CHECKS) expect(PAGE).toMatch(new RegExp(`^\\| ${check} +\\|`, "m"));
});

test("docs/cli.md has a column of exit codes for every command", () => {
    const header = /^\| code \|(.*)$/m
        .exec(PAGE)?.[1]
        ?.split("|")
        .map((cell) => cell.trim());
    expect(header?.filter((cell) => cell !== "").sort()).toEqual(["doctor", "graph", "plan", "status", "trace"]);
});
