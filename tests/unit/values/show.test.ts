import { count, few, shown } from "../../../provider/values/show";
import { text } from "../../../provider/values/untrusted";

test("values in messages are one short line of printable ASCII", () => {
    expect(shown("ok")).toBe('"ok"');
    expect(shown('a"b\\c')).toBe('"a\\"b\\\\c"');
    expect(shown("a\nb\u202ec\u0000")).toBe('"a\\u000ab\\u202ec\\u0000"');
    expect(shown("x".repeat(80))).toBe(`"${"x".repeat(80)}"`);
    expect(shown("x".repeat(81))).toBe(`"${"x".repeat(80)}…"`);
    expect([shown(null), shown(undefined), shown({}), shown(7)]).toEqual([
        '"(null)"',
        '"(undefined)"',
        '"(object)"',
        '"(number)"',
    ]);
});

test("no more of a value is shown than a glance takes in, however it has to be escaped", () => {
    expect(shown("\u0000".repeat(80))).toHaveLength(2 * 80 + 3);
    expect(shown('"'.repeat(80))).toBe(`"${'\\"'.repeat(80)}"`);
});

test("long lists are cut with a count of the rest", () => {
    expect(few(["a", "b"])).toBe("a, b");
    expect(few(["a", "b", "c", "d", "e"])).toBe("a, b, c, d, e");
    expect(few(["a", "b", "c", "d", "e", "f", "g"])).toBe("a, b, c, d, e and 2 more");
    expect(few(["a", "b", "c"], 1)).toBe("a and 2 more");
    expect([count(0, "node"), count(1, "node"), count(2, "node")]).toEqual(["0 nodes", "1 node", "2 nodes"]);
});

test("a text that is as long as it may be is not cut", () => {
    expect(text("12345", 5)).toBe("12345");
    expect(text("123456", 5)).toBe("12345…");
});
