import fc from "fast-check";
import { joinNodes, splitNodes } from "../../../provider/mesh/node-list";

describe("the nodes of a cluster as one text", () => {
    test("are a line each, by name", () => {
        expect(joinNodes({ n2: "p10.1.2.0/24 kB", n1: "p10.1.1.0/24 kA" })).toBe(
            "n1 p10.1.1.0/24 kA\nn2 p10.1.2.0/24 kB",
        );
        expect(joinNodes({})).toBe("");
    });

    test("come back as they were, whatever a cluster calls its nodes", () => {
        const line = fc.stringMatching(/^[!-~]*( [!-~]+)*$/);
        fc.assert(
            fc.property(fc.dictionary(fc.string({ minLength: 1, unit: "binary" }), line), (lines) => {
                expect(splitNodes(joinNodes(lines))).toEqual({ ...lines });
            }),
        );
    });

    test("are read as a record too, which is how the first states held them", () => {
        expect(splitNodes({ n1: "p10.1.1.0/24", n2: 7 })).toEqual({ n1: "p10.1.1.0/24" });
        expect(splitNodes(undefined)).toEqual({});
    });
});
