import { networkOf, outermost } from "../../../provider/net/cidr";
import { eachOverlap, overlapFinder } from "../../../provider/net/overlaps";

const pairsOf = (texts: readonly string[]): string[] => {
    const pairs: string[] = [];
    eachOverlap(
        texts.map((text) => ({ network: networkOf(text)!, owner: text })),
        ({ outer, inner }) => pairs.push(`${outer.owner} ${inner.owner}`),
    );
    return pairs;
};

test("of two that start alike the larger is the outer one", () => {
    const texts = ["10.0.0.0/16", "10.0.0.0/8", "10.5.0.0/16"];
    expect(outermost(texts.map((text) => networkOf(text)!)).map(({ text }) => text)).toEqual(["10.0.0.0/8"]);
    expect(pairsOf(texts)).toEqual(["10.0.0.0/8 10.0.0.0/16", "10.0.0.0/8 10.5.0.0/16"]);
});

test("of two that end alike the larger is the one that is found", () => {
    const entries = ["10.255.0.0/16", "10.0.0.0/8"].map((text) => ({ network: networkOf(text)!, owner: text }));
    expect(overlapFinder(entries)(networkOf("10.255.1.0/24")!)).toBe("10.0.0.0/8");
});

test("the last address of a block lies inside it", () => {
    const list = ["10.0.0.255/32", "10.0.0.0/24", "10.0.1.0/32"].map((text) => networkOf(text)!);
    expect(outermost(list).map(({ text }) => text)).toEqual(["10.0.0.0/24", "10.0.1.0/32"]);
});

test.each([
    [["10.0.0.0/16", "10.0.0.0/8", "10.0.0.0/24"]],
    [["10.0.0.0/8", "10.0.0.0/16", "10.0.0.0/24"]],
    [["10.0.0.0/24", "10.0.0.0/16", "10.0.0.0/8"]],
])("%j nest in one way, whichever is named first", (texts) => {
    expect(pairsOf(texts).sort()).toEqual([
        "10.0.0.0/16 10.0.0.0/24",
        "10.0.0.0/8 10.0.0.0/16",
        "10.0.0.0/8 10.0.0.0/24",
    ]);
});
