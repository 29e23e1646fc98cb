import { visible } from "../render/visible";

const ENTITIES: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
};

/** Text for XML, in elements and attributes. Characters that XML does not know become a replacement sign. */
export const xml = (text: string): string =>
    visible(text)
        .replace(/[\ufffe\uffff]/g, "\ufffd")
        .replace(/[&<>"']/g, (char) => ENTITIES[char]!);

/** A quoted string of the DOT language. A backslash would start one of its escapes. */
export const dotString = (lines: readonly string[]): string =>
    `"${lines.map((line) => visible(line).replace(/[\\"]/g, "\\$&")).join("\\n")}"`;
