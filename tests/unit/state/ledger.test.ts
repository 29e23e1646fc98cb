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

const UUIDS = ["0b8f4c1e-9d2a-4e57-8f10-6a7b3c2d1e0f", "ffffffff-0000-4fff-bfff-fffffffffff0"] as const;

test("what names share, and the form of a UUID, is not repeated for each peer", () => {
    const ledger = new Map([
        ["edge--hub--n1", { uid: UUIDS[0], digest: "ClzeuGx49z" }],
        ["edge--hub--n10", { uid: UUIDS[1], digest: "ClzeuGx49z" }],
        ["edge--hub--n2", { uid: UUIDS[1], digest: "ClzeuGx49y" }],
        ["f", { uid: UUIDS[0], digest: "d" }],
    ]);
    const short = UUIDS.map((uid) => Buffer.from(uid.replaceAll("-", ""), "hex").toString("base64url"));
    expect(encodeLedger(ledger)).toBe(
        `0+edge--hub--n1 ${short[0]}ClzeuGx49z;13+0 ${short[1]}ClzeuGx49z;12+2 ${short[1]}ClzeuGx49y;0+f ${short[0]}d`,
    );
    expect(decodeLedger(encodeLedger(ledger))).toEqual(ledger);
});

test("uids of any form are kept to the letter, beside short ones", () => {
    const ledger = new Map(
        [UUIDS[0].toUpperCase(), `${UUIDS[0]}0`, UUIDS[0], `0${UUIDS[0]}`, "uid-7", UUIDS[1]].map((uid, at) => [
            `edge--hub--n${at}`,
            { uid, digest: `d${at}` },
        ]),
    );
    expect(decodeLedger(encodeLedger(ledger))).toEqual(ledger);
});

test("a ledger of 0.1.0 is read, and in short form it is the same", () => {
    const recorded = `edge--hub--n1 ${UUIDS[0]} ClzeuGx49z;edge--hub--n2 ${UUIDS[1]} ClzeuGx49y`;
    const ledger = decodeLedger(recorded);
    expect([...ledger]).toEqual([
        ["edge--hub--n1", { uid: UUIDS[0], digest: "ClzeuGx49z" }],
        ["edge--hub--n2", { uid: UUIDS[1], digest: "ClzeuGx49y" }],
    ]);
    expect(decodeLedger(encodeLedger(ledger))).toEqual(ledger);
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
