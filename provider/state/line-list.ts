import { byText } from "../values/show";
import { isRecord } from "../values/untrusted";

/**
 * Thousands of nodes or peers as one text, sorted, a line each: `<name> <line>`. The engine copies, compares and logs every
 * value of a resource many times, so its cost grows with their number; a changed line is shown by itself in a diff.
 */
export function joinLines(lines: Readonly<Record<string, string>>): string {
    return Object.entries(lines)
        .sort(([a], [b]) => byText(a, b))
        .map(([name, line]) => `${escaped(name)} ${line}`)
        .join("\n");
}

/** The lines by name. Also read: the same as a record, which is how the first states held it. */
export function splitLines(text: unknown): Record<string, string> {
    if (isRecord(text)) {
        return Object.fromEntries(
            Object.entries(text).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
        );
    }
    if (typeof text !== "string" || text === "") return {};
    return Object.fromEntries(
        text.split("\n").map((line) => {
            const end = line.indexOf(" ");
            return end < 0 ? [plain(line), ""] : [plain(line.slice(0, end)), line.slice(end + 1)];
        }),
    );
}

/** No node or peer has such a name; a cluster that says otherwise must not be able to add lines. */
const escaped = (name: string): string =>
    name.replace(/[%\s]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const plain = (name: string): string =>
    name.replace(/%([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
