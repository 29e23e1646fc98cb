/** Characters that move the cursor, reverse the text or hide it. Names come from clusters, and a cluster may be hostile. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[\\d*m`, "g");

/** A text from outside, made harmless for a terminal: one line, every character visible. */
export const visible = (text: string): string => text.replace(UNPRINTABLE, "\u{fffd}");

/** Columns that the text takes, without our own colours. */
export const columnsOf = (text: string): number => [...text.replace(ESCAPES, "")].length;

export function padEnd(text: string, columns: number): string {
    return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

export function padStart(text: string, columns: number): string {
    return " ".repeat(Math.max(0, columns - columnsOf(text))) + text;
}

/** Cut to `columns`, with a sign that something is missing. Only for text without colours. */
export function cut(text: string, columns: number): string {
    const letters = [...text];
    return letters.length <= columns ? text : `${letters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}

/** Lines of at most `width` columns, broken at spaces; a longer word keeps a line of its own, so it can be copied. */
export function wrap(text: string, width: number): string[] {
    const lines: string[] = [];
    let line = "";
    for (const word of text.split(" ")) {
        if (line !== "" && columnsOf(line) + 1 + columnsOf(word) > width) {
            lines.push(line);
            line = word;
        } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
    return lines;
}

/** A first line after `lead`, the others under it. */
export function hanging(lead: string, text: string, width: number): string[] {
    const indent = columnsOf(lead);
    return wrap(text, Math.max(20, width - indent)).map(
        (line, index) => (index === 0 ? lead : " ".repeat(indent)) + line,
    );
}
