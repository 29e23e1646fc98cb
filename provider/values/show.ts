/** Code unit order: the same on every machine, unlike `localeCompare`. */
export function byText(a: string, b: string): number {
    return a < b ? -1 : a > b ? 1 : 0;
}

const SHOWN = 80;

/** A value from outside, fit for a message: one line of printable ASCII, never longer than a glance. */
export function shown(value: unknown): string {
    const text = typeof value === "string" ? value : `(${value === null ? "null" : typeof value})`;
    const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
    const safe = cut.replace(/[^\x20-\x7e…]|["\\]/g, escaped);
    // An escape is six characters: what was short may be long again.
    return `"${safe.length > 2 * SHOWN ? `${safe.slice(0, 2 * SHOWN)}…` : safe}"`;
}

function escaped(char: string): string {
    return char === '"' || char === "\\" ? `\\${char}` : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The first few of a list, and how many more there are. */
export function few(items: readonly string[], limit = 5): string {
    const rest = items.length - limit;
    return rest > 0 ? `${items.slice(0, limit).join(", ")} and ${rest} more` : items.join(", ");
}

/** `1 node`, `2 nodes`. */
export function count(n: number, noun: string): string {
    return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
