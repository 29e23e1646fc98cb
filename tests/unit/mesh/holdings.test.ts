import { readPeer } from "../../../provider/kilo/peer";
import type { KubePeer } from "../../../provider/kilo/types";
import { classify } from "../../../provider/mesh/plan/classify";
import { holdingsOf, mostCommon } from "../../../provider/mesh/segments/holdings";
import { CLAIM, key, live, ours, SOURCE } from "./fixtures";

const targetWith = (...peers: readonly KubePeer[]) =>
    classify(
        peers.map((peer) => readPeer(peer)!),
        { claim: "c-dst", meshId: undefined },
    );
const has = (seed: number, more: Record<string, unknown> = {}) => ours("m--src--n1", { publicKey: key(seed), ...more });

describe("what our peers hold of a source", () => {
    test("is the key that most targets know it by, the first by text where as many know another", () => {
        const keyOf = (...seeds: readonly number[]) =>
            holdingsOf(
                "src",
                seeds.map((seed) => targetWith(has(seed))),
            ).keyOf(["m--src--n1"]);
        expect(keyOf(2, 1, 2)).toBe(key(2));
        expect(keyOf(1, 2, 2)).toBe(key(2));
        expect(keyOf(2, 1)).toBe(key(1));
        expect(keyOf()).toBeUndefined();
    });

    test("is what any target routes, under any of its names", () => {
        const targets = [targetWith(), targetWith(has(1, { allowedIPs: ["10.1.1.0/24"] })), targetWith(has(1))];
        const { has: holds } = holdingsOf("src", targets);
        expect(holds(["m--src--other", "m--src--n1"], "10.1.1.0/24")).toBe(true);
        expect(holds(["m--src--n1"], "10.1.2.0/24")).toBe(false);
        expect(holds(["m--src--other"], "10.1.1.0/24")).toBe(false);
    });

    test("is not what a peer of another source under one of its names has", () => {
        const theirs = live("m--src--n1", { labels: { [CLAIM]: "c-dst", [SOURCE]: "other" }, publicKey: key(1) });
        expect(holdingsOf("src", [targetWith(theirs)]).keyOf(["m--src--n1"])).toBeUndefined();
    });
});

test("of texts that are as common the first is the one", () => {
    expect(mostCommon(["b", "c", "a", "c", "b"])).toBe("b");
    expect(mostCommon([])).toBeUndefined();
});
