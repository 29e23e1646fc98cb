import { joinLines } from "../../../provider/state/line-list";
import { formChange, type PeerInputs, peerLines, shapePeers, wantedPeers } from "../../../provider/state/peer-inputs";
import { UNKNOWN } from "../../../provider/values/unknown";
import { key } from "../../support/keys";

const lines = (count: number, source = "spoke"): Record<string, string> =>
    Object.fromEntries(
        Array.from({ length: count }, (_, i) => [
            `edge--${source}--n${i}`,
            `${key(i + 1)} 192.0.2.1:51820 10.${i >> 8}.${i & 255}.0/24`,
        ]),
    );

const text = (count: number, source?: string): string => joinLines(lines(count, source));

describe("the peers of a target are the same in every form", () => {
    const asRecords = { a: lines(2, "a"), b: lines(1, "b") };
    const asTexts = { a: text(2, "a"), b: text(1, "b") };

    test("each under its name, with the source that it stands for", () => {
        expect([...peerLines(asRecords).values()]).toEqual([
            { name: "edge--a--n0", source: "a", line: lines(2, "a")["edge--a--n0"] },
            { name: "edge--a--n1", source: "a", line: lines(2, "a")["edge--a--n1"] },
            { name: "edge--b--n0", source: "b", line: lines(1, "b")["edge--b--n0"] },
        ]);
        expect(peerLines(asTexts)).toEqual(peerLines(asRecords));
        expect([...peerLines(asTexts).keys()]).toEqual(["edge--a--n0", "edge--a--n1", "edge--b--n0"]);
    });

    test("decoded, as they are wanted", () => {
        const endpoint = { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 };
        const spec = { publicKey: key(1), allowedIPs: ["10.0.0.0/24"], endpoint };
        expect(wantedPeers({ b: text(1, "b") })).toEqual([{ name: "edge--b--n0", source: "b", peer: { spec } }]);
    });

    test("a source that is not known yet has none, nor has what is no map of sources", () => {
        expect([...peerLines({ a: UNKNOWN, b: text(1, "b") }).keys()]).toEqual(["edge--b--n0"]);
        for (const odd of [undefined, null, "text", UNKNOWN]) expect(peerLines(odd)).toEqual(new Map());
    });
});

describe("the form in which peers are recorded", () => {
    /** What is recorded when so many are wanted after others. */
    const shaped = (count: number, before?: unknown): PeerInputs => shapePeers(before, { spoke: text(count) });

    test("is by name up to 500 peers, so that every preview shows each by itself", () => {
        expect(shaped(500)).toEqual({ spoke: lines(500) });
    });

    test("is a text per source for more than 500 in all", () => {
        expect(shaped(501)).toEqual({ spoke: text(501) });
        const both = { a: text(300, "a"), b: text(201, "b") };
        expect(shapePeers(undefined, both)).toEqual(both);
    });

    test("stays a text until there are half as many, so that a size that comes and goes changes nothing", () => {
        const before = { spoke: text(501) };
        expect(shaped(251, before)).toEqual({ spoke: text(251) });
        expect(shaped(250, before)).toEqual({ spoke: lines(250) });
        expect(shaped(251, { spoke: lines(500) })).toEqual({ spoke: lines(251) });
        expect(shaped(251, { ...before, other: lines(1, "other") })).toEqual({ spoke: text(251) });
    });

    test("leaves out a source without peers", () => {
        expect(shapePeers(undefined, { a: text(1, "a"), b: "" })).toEqual({ a: lines(1, "a") });
    });

    test("keeps a source that is not known yet unknown, and counts what it had", () => {
        const wanted = { a: text(300, "a"), b: UNKNOWN };
        expect(shapePeers({}, wanted)).toEqual({ a: lines(300, "a"), b: UNKNOWN });
        expect(shapePeers({ b: lines(200, "b") }, wanted)).toEqual({ a: lines(300, "a"), b: UNKNOWN });
        expect(shapePeers({ b: lines(201, "b") }, wanted)).toEqual({ a: text(300, "a"), b: UNKNOWN });
        expect(shapePeers({ b: UNKNOWN }, wanted)).toEqual({ a: lines(300, "a"), b: UNKNOWN });
    });
});

describe("a preview in which the form changes shows every peer as changed", () => {
    const kept = "Where only the form changed, nothing is written to the cluster.";

    test("and says that nothing else is", () => {
        expect(formChange({ spoke: lines(500) }, { spoke: text(501) })).toBe(
            `more than 500 peers: they are recorded as texts from now on. ${kept}`,
        );
        expect(formChange({ spoke: text(251) }, { spoke: lines(250) })).toBe(
            `250 peers or fewer: they are recorded by name from now on. ${kept}`,
        );
    });

    test.each<[string, unknown, unknown]>([
        ["the form stays", { spoke: lines(1) }, { spoke: lines(2) }],
        ["the form stays a text", { spoke: text(1) }, { spoke: text(2) }],
        ["there was no peer before", {}, { spoke: text(501) }],
        ["there is no peer any more", { spoke: text(501) }, {}],
        ["only what is unknown is a text", { spoke: lines(1) }, { spoke: lines(1), other: UNKNOWN }],
    ])("and says nothing where %s", (_, before, after) => {
        expect(formChange(before, after)).toBeUndefined();
    });
});
