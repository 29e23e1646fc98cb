import { type LivePeer, readPeer } from "../../../provider/kilo/peer";
import { isUnclaimed, type Proof, type Whose, whose } from "../../../provider/mesh/ownership";
import { CLAIM, key, live, MESH, SOURCE } from "./fixtures";

const MESH_ID = "kilo-clustermesh.io/mesh-id";
const MANAGED_BY = "app.kubernetes.io/managed-by";
const NAME = "edge--spoke--n1";
const UID = `uid of ${NAME}`;
/** Everything but proof: anybody can write these. */
const WORDS = { [MESH]: "edge", [SOURCE]: "spoke", [MANAGED_BY]: "pulumi" };

const peer = (labels: Record<string, string>, name = NAME): LivePeer =>
    readPeer(
        live(name, {
            labels: { ...WORDS, ...labels },
            publicKey: key(1),
            annotations: { "kilo-clustermesh.io/owner": "o/p/s/edge" },
        }),
    )!;
const proof = (more: Partial<Proof> = {}): Proof => ({ claim: "mine", meshId: "mesh-1", ...more });
const recorded = new Map([[NAME, { uid: UID }]]);
const present = new Set(["mine", "sibling"]);
const adopt = { mesh: "edge", sources: new Set(["spoke"]) };

describe("whose an object is", () => {
    test.each<[string, Record<string, string>, Partial<Proof>, Whose]>([
        ["this member's claim", { [CLAIM]: "mine" }, {}, "ours"],
        ["this member's claim and another mesh's id", { [CLAIM]: "mine", [MESH_ID]: "mesh-2" }, {}, "ours"],
        [
            "this member's claim, of an object of 0.1.0 without a mesh id",
            { [CLAIM]: "mine" },
            { meshId: undefined },
            "ours",
        ],
        ["no claim, but its uid is in our ledger", {}, { recorded }, "ours"],
        ["no claim but our mesh id, and its uid is in our ledger", { [MESH_ID]: "mesh-1" }, { recorded }, "ours"],
        [
            "the claim that our objects had before the member was replaced, and its uid is in our ledger",
            { [CLAIM]: "former" },
            { recorded, formerClaim: "former" },
            "ours",
        ],
        ["somebody else's claim, though its uid is in our ledger", { [CLAIM]: "other" }, { recorded }, "foreign"],
        [
            "somebody else's claim, though its uid is in our ledger and there was a former claim",
            { [CLAIM]: "other" },
            { recorded, formerClaim: "former" },
            "foreign",
        ],
        ["no claim, and another uid is in our ledger", {}, { recorded: new Map([[NAME, { uid: "x" }]]) }, "foreign"],
        [
            "no claim, and its uid is in our ledger under another name",
            {},
            { recorded: new Map([["y", { uid: UID }]]) },
            "foreign",
        ],
        [
            "our mesh id and the claim of no present member",
            { [CLAIM]: "gone", [MESH_ID]: "mesh-1" },
            { present },
            "taken over",
        ],
        ["our mesh id and no claim", { [MESH_ID]: "mesh-1" }, { present }, "taken over"],
        [
            "our mesh id and the claim of another present member",
            { [CLAIM]: "sibling", [MESH_ID]: "mesh-1" },
            { present },
            "foreign",
        ],
        ["our mesh id, where nobody knows who is present", { [CLAIM]: "gone", [MESH_ID]: "mesh-1" }, {}, "foreign"],
        [
            "another mesh's id and the claim of no present member",
            { [CLAIM]: "gone", [MESH_ID]: "mesh-2" },
            { present },
            "foreign",
        ],
        ["an empty mesh id, as we have none", { [MESH_ID]: "" }, { meshId: "", present }, "foreign"],
        ["no mesh id, as we have none", {}, { meshId: undefined, present }, "foreign"],
        [
            "a name that the run said to take over, and our mesh id",
            { [CLAIM]: "gone", [MESH_ID]: "mesh-1", [MESH]: "renamed" },
            { named: { names: new Set([NAME]), mesh: "edge" } },
            "taken over",
        ],
        [
            "a name that the run said to take over, and our mesh's name",
            { [CLAIM]: "lost" },
            { named: { names: new Set([NAME]), mesh: "edge" } },
            "taken over",
        ],
        [
            "a name that the run said to take over, but re-created by another mesh",
            { [CLAIM]: "lost", [MESH]: "other" },
            { named: { names: new Set([NAME]), mesh: "edge" } },
            "foreign",
        ],
        ["labels that adopt covers", {}, { adopt }, "adopted"],
        ["no claim any more, and a uid that a replaced member recorded", {}, { recorded, formerClaim: "x" }, "ours"],
        ["labels that adopt covers and a claim of a lost state", { [CLAIM]: "lost" }, { adopt }, "adopted"],
        ["labels of another mesh, with adopt", { [MESH]: "other" }, { adopt }, "foreign"],
        ["labels of a source that is not linked, with adopt", { [SOURCE]: "far" }, { adopt }, "foreign"],
        ["our labels, name and owner, and nothing else", {}, {}, "foreign"],
        ["an empty claim, as a member has before it is created", { [CLAIM]: "" }, { claim: "" }, "foreign"],
        ["no claim, as the member has none yet", {}, { claim: undefined }, "foreign"],
    ])("one with %s", (_, labels, more, expected) => {
        expect(whose(peer(labels), proof(more))).toBe(expected);
    });

    test("one without a uid is in nobody's ledger", () => {
        const { uid: _, ...rest } = peer({});
        expect(whose({ ...rest, uid: "" }, proof({ recorded: new Map([[NAME, { uid: "" }]]) }))).toBe("foreign");
    });
});

test("two backends with identical names never touch each other", () => {
    const first = proof({ present, recorded });
    const second: Proof = {
        claim: "theirs",
        meshId: "mesh-2",
        present: new Set(["theirs"]),
        recorded: new Map([[NAME, { uid: "another" }]]),
        formerClaim: "theirs-before",
    };
    const mine = peer({ [CLAIM]: "mine", [MESH_ID]: "mesh-1" });
    const theirs = peer({ [CLAIM]: "theirs", [MESH_ID]: "mesh-2" });
    expect([whose(mine, first), whose(theirs, first)]).toEqual(["ours", "foreign"]);
    expect([whose(mine, second), whose(theirs, second)]).toEqual(["foreign", "ours"]);
});

describe("an object that may be ours without its labels", () => {
    const bare = (labels: Record<string, string>) => isUnclaimed(readPeer(live(NAME, { labels }))!);

    test("has neither claim nor mesh id", () => {
        expect(bare({})).toBe(true);
        expect(bare({ [CLAIM]: "" })).toBe(false);
        expect(bare({ [CLAIM]: "other" })).toBe(false);
        expect(bare({ [MESH_ID]: "mesh-2" })).toBe(false);
    });

    test("is not an operator's, which names its mesh and another manager or none", () => {
        expect(bare(WORDS)).toBe(true);
        expect(bare({ [MESH]: "edge", [SOURCE]: "spoke" })).toBe(false);
        expect(bare({ [MESH]: "edge", [MANAGED_BY]: "operator" })).toBe(false);
        expect(bare({ [MANAGED_BY]: "operator" })).toBe(true);
    });
});
