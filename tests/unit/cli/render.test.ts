import { coloured, plain } from "../../../cli/render/paint";
import { table } from "../../../cli/render/table";
import { columnsOf, cut, hanging, visible, wrap } from "../../../cli/render/visible";
import fc from "../../support/chance";

test("columns are aligned, with and without colours", () => {
    const columns = [{ title: "NAME" }, { title: "COUNT", align: "right" as const }];
    const rows = [
        ["hub", { text: "3", colour: "red" as const }],
        ["longer-name", "12"],
    ];
    const lines = ["NAME         COUNT", "hub              3", "longer-name     12"];
    expect(table(columns, rows)).toEqual(lines);
    const painted = table(columns, rows, { paint: coloured });
    expect(painted.map(columnsOf)).toEqual(lines.map((line) => line.length));
});

test("a table fits the terminal by cutting the flexible columns", () => {
    const rows = [["a-very-long-name-of-a-cluster", "state"]];
    const lines = table([{ title: "NAME", flexible: true }, { title: "STATE" }], rows, { paint: plain, width: 20 });
    expect(lines).toEqual(["NAME           STATE", "a-very-long-…  state"]);
});

test("no text from a cluster can move the cursor, change colours or hide what follows", () => {
    const hostile = fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom("\u001b[2J", "\r\n", "\u009b31m", "\u202egnp.exe", "\u200b", "\ud800", "\u2028"),
    );
    fc.assert(
        fc.property(fc.array(hostile), (parts) => {
            const shown = visible(parts.join("x"));
            expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
            expect(table([{ title: "T" }], [[parts.join("x")]])).toHaveLength(2);
        }),
    );
});

test("wrapping keeps every word and never breaks one", () => {
    fc.assert(
        fc.property(
            fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1 }),
            fc.integer({ min: 5, max: 60 }),
            (words, width) => {
                const lines = wrap(words.join(" "), width);
                expect(lines.join(" ")).toBe(words.join(" "));
                for (const line of lines) expect(line.length <= width || !line.includes(" ")).toBe(true);
            },
        ),
    );
});

test("hanging text stands under its beginning", () => {
    expect(hanging("  why ", "one two three four five", 26)).toEqual(["  why one two three four", "      five"]);
});

test("a cut text says that it was cut", () => {
    expect([cut("abcdef", 6), cut("abcdef", 4)]).toEqual(["abcdef", "abc…"]);
});
