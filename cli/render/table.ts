import { type Colour, type Paint, plain } from "./paint";
import { columnsOf, cut, padEnd, padStart, visible } from "./visible";

export interface Cell {
    readonly text: string;
    readonly colour?: Colour;
}

export interface Column {
    readonly title: string;
    readonly align?: "left" | "right";
    /** May be cut when the terminal is narrow. */
    readonly flexible?: boolean;
}

const GAP = 2;
const NARROWEST = 8;

/** Aligned columns with a title line. The flexible columns give way where the terminal is too narrow. */
export function table(
    columns: readonly Column[],
    rows: readonly (readonly (Cell | string)[])[],
    { paint = plain, width = Number.POSITIVE_INFINITY }: { readonly paint?: Paint; readonly width?: number } = {},
): string[] {
    const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? { text: cell } : cell)));
    const clean = cells.map((row) => row.map(({ text, ...rest }) => ({ ...rest, text: visible(text) })));
    const widths = shrinkToFit(
        columns,
        columns.map((column, i) => Math.max(columnsOf(column.title), ...clean.map((row) => columnsOf(row[i]!.text)))),
        width,
    );
    const line = (texts: readonly Cell[]): string =>
        texts
            .map(({ text, colour }, i) => {
                const short = cut(text, widths[i]!);
                const shown = colour === undefined ? short : paint(colour, short);
                return columns[i]!.align === "right" ? padStart(shown, widths[i]!) : padEnd(shown, widths[i]!);
            })
            .join(" ".repeat(GAP))
            .trimEnd();
    return [line(columns.map(({ title }) => ({ text: title, colour: "dim" }))), ...clean.map(line)];
}

/** Takes from the widest flexible column until the table fits, or nothing more can be taken. */
function shrinkToFit(columns: readonly Column[], natural: readonly number[], width: number): number[] {
    const widths = [...natural];
    const total = (): number => widths.reduce((sum, each) => sum + each, GAP * (widths.length - 1));
    while (total() > width) {
        let widest = -1;
        columns.forEach((column, i) => {
            if (column.flexible && widths[i]! > NARROWEST && (widest < 0 || widths[i]! > widths[widest]!)) widest = i;
        });
        if (widest < 0) break;
        widths[widest]!--;
    }
    return widths;
}
