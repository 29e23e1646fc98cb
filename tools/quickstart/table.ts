/** Columns as wide as their widest cell, two spaces between them. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
    const widths = header.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
    const line = (cells: readonly string[]) =>
        cells
            .map((cell, at) => cell.padEnd(widths[at] ?? 0))
            .join("  ")
            .trimEnd();
    return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
