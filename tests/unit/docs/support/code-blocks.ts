import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./check-types";

/** One fenced block of a page. */
export interface CodeBlock {
    /** Relative to the root. */
    readonly file: string;
    /** Of the opening fence, from 1. */
    readonly line: number;
    readonly language: string;
    readonly text: string;
    /** What a `<!-- given: … -->` right before the block declares: things that the page has told of in words. */
    readonly given: string;
}

const isPage = (file: string): boolean => file.endsWith(".md");

/** Every page that users and contributors read, relative to the root, sorted. */
export function pages(): string[] {
    const below = (folder: string): string[] =>
        readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
            .map((file) => path.join(folder, file))
            .filter((file) => isPage(file) && !file.split(path.sep).includes("node_modules"));
    return [...readdirSync(ROOT).filter(isPage), ...["docs", "examples", "bench"].flatMap(below)].sort();
}

export function codeBlocks(file: string): CodeBlock[] {
    const lines = readFileSync(path.join(ROOT, file), "utf8").split("\n");
    const blocks: CodeBlock[] = [];
    for (let at = 0; at < lines.length; at++) {
        const fence = /^(\s*)```(.*)$/.exec(lines[at]!);
        if (fence === null) continue;
        const end = lines.findIndex((line, after) => after > at && line.trim() === "```");
        if (end < 0) throw new Error(`${file}:${at + 1}: the block is never closed`);
        const indent = fence[1]!.length;
        blocks.push({
            file,
            line: at + 1,
            language: fence[2]!.trim(),
            text: lines
                .slice(at + 1, end)
                .map((line) => line.slice(indent))
                .join("\n"),
            given: givenBefore(lines, at),
        });
        at = end;
    }
    return blocks;
}

function givenBefore(lines: readonly string[], fence: number): string {
    let end = fence - 1;
    while (lines[end]?.trim() === "") end--;
    if (!lines[end]?.trim().endsWith("-->")) return "";
    let start = end;
    while (start >= 0 && !lines[start]!.includes("<!--")) start--;
    const comment = lines.slice(start, end + 1).join("\n");
    return /<!-- given:([\s\S]*)-->/.exec(comment)?.[1]?.trim() ?? "";
}
