import { joinLines, splitLines } from "../../../provider/state/line-list";
import fc from "../../support/chance";

describe("the nodes of a cluster as one text", () => {
    test("are a line each, by name", () => {
        expect(joinLines({ n2: "p10.1.2.0/24 kB", n1: "p10.1.1.0/24 kA" })).toBe(
            "n1 p10.1.1.0/24 kA\nn2 p10.1.2.0/24 kB",
        );
        expect(joinLines({})).toBe("");
    });

    test("come back as they were, whatever a cluster calls its nodes", () => {
        const line = fc.stringMatching(/^[!-~]*( [!-~]+)*$/);
        fc.assert(
            fc.property(fc.dictionary(fc.string({ minLength: 1, unit: "binary" }), line), (lines) => {
                expect(splitLines(joinLines(lines))).toEqual({ ...lines });
            }),
        );
    });

    test("are read as a record too, which is how the first states held them", () => {
        expect(splitLines({ n1: "p10.1.1.0/24", n2: 7 })).toEqual({ n1: "p10.1.1.0/24" });
        expect(splitLines(undefined)).toEqual({});
    });
});

test("lines are sorted by name, and one without a space is a name alone", () => {
    expect(joinLines({ b: "2", c: "3", a: "1" })).toBe("a 1\nb 2\nc 3");
    expect(joinLines({ c: "3", b: "2", a: "1" })).toBe("a 1\nb 2\nc 3");
    expect(splitLines("a\nb 2")).toEqual({ a: "", b: "2" });
    expect(splitLines(" 1")).toEqual({ "": "1" });
});
