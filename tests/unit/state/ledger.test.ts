import { readPeer } from "../../../provider/kilo/peer";
import { decodeLedger, digestOf, encodeLedger, entryOf } from "../../../provider/state/ledger";
import { ours } from "../mesh/fixtures";

const ENTRY = { uid: "u1", digest: "d1" };
const OTHER = { uid: "u2", digest: "d2" };

test("a ledger is one text in the order of names, and is read back as it was", () => {
    const ledger = new Map([
        ["b", OTHER],
        ["a", ENTRY],
        ["c", ENTRY],
    ]);
    expect(encodeLedger(ledger)).toBe("a u1 d1;b u2 d2;c u1 d1");
    expect(decodeLedger(encodeLedger(ledger))).toEqual(ledger);
    expect(encodeLedger(new Map())).toBe("");
});

test.each<[string, unknown]>([
    ["nothing", undefined],
    ["no text", ["a u1 d1"]],
    ["an empty text", ""],
    ["an entry without a digest", "a u1"],
    ["an entry without a uid", "a  d1"],
    ["an entry without a name", " u1 d1"],
])("%s is no entry", (_, text) => {
    expect(decodeLedger(text)).toEqual(new Map());
    if (typeof text === "string") expect(decodeLedger(`${text};b u2 d2`)).toEqual(new Map([["b", OTHER]]));
});

test("the fingerprint in a state stays what it is: another one would patch every peer", () => {
    expect(digestOf("spoke", "<key> 192.0.2.1:51820 10.2.1.0/24")).toBe("ClzeuGx49z");
});

test("an object is fingerprinted by its source and its line, so that a change of either is seen", () => {
    const live = readPeer(ours("p", { allowedIPs: ["10.1.1.0/24"] }))!;
    const line = `${live.spec.publicKey} no-endpoint 10.1.1.0/24`;
    expect(entryOf(live)).toEqual({ uid: "uid of p", digest: digestOf("src", line) });
    expect(entryOf({ ...live, labels: {} }).digest).toBe(digestOf("", line));
});
