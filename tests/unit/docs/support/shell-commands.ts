import type { CodeBlock } from "./code-blocks";

/** One command of a shell block, its words as the shell would split them. */
export interface ShellCommand {
    readonly file: string;
    readonly line: number;
    readonly words: readonly string[];
}

/** Pipes, `&&`, line continuations, comments and leading variables are understood; that is all our pages use. */
export function shellCommands(block: CodeBlock): ShellCommand[] {
    const found: ShellCommand[] = [];
    let pending = "";
    let begun = 0;
    for (const [offset, raw] of block.text.split("\n").entries()) {
        if (pending === "") begun = offset;
        pending += raw;
        if (pending.endsWith("\\")) {
            pending = pending.slice(0, -1);
            continue;
        }
        for (const words of split(pending)) found.push({ file: block.file, line: block.line + 1 + begun, words });
        pending = "";
    }
    return found;
}

const SEPARATORS = new Set(["&&", "||", "|", ";"]);

function split(line: string): string[][] {
    const commands: string[][] = [[]];
    for (const [token] of line.matchAll(
        /"(?:[^"\\]|\\.)*"|'[^']*'|#.*$|&&|\|\||[|;]|(?:[^\s"'|;&#]|"(?:[^"\\]|\\.)*"|'[^']*')+|[#&]/g,
    )) {
        if (token.startsWith("#")) break;
        if (SEPARATORS.has(token)) commands.push([]);
        else commands.at(-1)!.push(token);
    }
    return commands.map(withoutVariables).filter((words) => words.length > 0);
}

function withoutVariables(words: string[]): string[] {
    const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
    return first < 0 ? [] : words.slice(first);
}

export const flagsIn = (words: readonly string[]): string[] =>
    words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*$/, ""));
