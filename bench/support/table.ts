import { summarise } from "./statistics";

/** A Markdown table. Numbers stand on the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
    const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
    return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The median, and the lowest and highest where there are several: `1.42 × (1.31–1.6)`. */
export function figure(values: readonly number[], unit = ""): string {
    if (values.length === 0) return "";
    const { median, lowest, highest, count } = summarise(values);
    const spread = count > 1 && lowest !== highest ? ` (${short(lowest)}–${short(highest)})` : "";
    return `${short(median)}${unit === "×" ? " ×" : unit}${spread}`;
}

/** Three digits, which is more than such measurements are good for. */
export function short(value: number): string {
    if (Math.abs(value) >= 1000) return thousands(Math.round(value));
    const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    return String(Number(value.toFixed(digits)));
}

export const thousands = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
