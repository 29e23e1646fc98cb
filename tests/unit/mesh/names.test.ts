import { createHash } from "node:crypto";
import { isPublicKey } from "../../../provider/kilo/public-key";
import { distinctPeerName, isDnsLabel, isLabelValue, peerLabels, peerName } from "../../../provider/mesh/names";
import { key } from "../../support/keys";

test.each([
    ["n1", "m--c--n1"],
    ["ip-10-0-0-1.eu.internal", "m--c--ip-10-0-0-1.eu.internal"],
    ["NodeOne", "m--c--nodeone"],
    ["a_b c", "m--c--a-b-c"],
    ["ü", "m--c"],
    ["a..b", "m--c--a--b"],
    ["a-.b", "m--c--a--b"],
    ["a.-b", "m--c--a--b"],
    ["a.b.", "m--c--a.b"],
    ["-x-", "m--c---x"],
    ["😀x", "m--c---x"],
])("node %j gives the name %s", (node, name) => {
    expect(peerName("m", "c", node)).toBe(name);
});

describe("a name that is too long", () => {
    const sha = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

    test("is cut to 236 characters and a hash of the raw text", () => {
        const node = "N".repeat(300);
        const name = peerName("m", "c", node);
        expect(name).toBe(`m--c--${"n".repeat(230)}-${sha(`m--c--${node}`)}`);
        expect(name).toHaveLength(253);
    });

    test("stays as it is up to 253", () => {
        expect(peerName("m", "c", "n".repeat(247))).toBe(`m--c--${"n".repeat(247)}`);
        expect(peerName("m", "c", "n".repeat(248))).toHaveLength(253);
    });

    test("loses the separators before the hash", () => {
        const node = `${"n".repeat(228)}.-${"x".repeat(50)}`;
        expect(peerName("m", "c", node)).toBe(`m--c--${"n".repeat(228)}-${sha(`m--c--${node}`)}`);
    });
});

test("the name of a segment that has to yield says the same and ends in a hash", () => {
    const name = distinctPeerName("m", "c", "location-EU", "location EU");
    expect(name).toMatch(/^m--c--location-eu-[0-9a-f]{16}$/);
    expect(distinctPeerName("m", "c", "location-EU", "location eu")).not.toBe(name);
    expect(distinctPeerName("m", "c", "x".repeat(400), "node")).toHaveLength(253);
});

test("empty parts leave nothing behind", () => {
    expect(peerName("", "", "x")).toBe("x");
    expect(peerName("", "", "-.-")).toBe("");
});

test("labels carry claim and mesh id only where there is one", () => {
    const always = {
        "kilo-clustermesh.io/mesh": "m",
        "kilo-clustermesh.io/source-cluster": "c",
        "app.kubernetes.io/managed-by": "pulumi",
    };
    expect(peerLabels("m", "c", undefined, undefined)).toStrictEqual(always);
    expect(peerLabels("m", "c", undefined, "")).toStrictEqual(always);
    expect(peerLabels("m", "c", "x", undefined)).toStrictEqual({ ...always, "kilo-clustermesh.io/claim": "x" });
    expect(peerLabels("m", "c", "x", "id")).toStrictEqual({
        ...always,
        "kilo-clustermesh.io/claim": "x",
        "kilo-clustermesh.io/mesh-id": "id",
    });
});

test.each([
    ["a", true],
    ["a-b", true],
    ["0a", true],
    ["a".repeat(63), true],
    ["a".repeat(64), false],
    ["", false],
    ["-a", false],
    ["a-", false],
    ["a.b", false],
    ["A", false],
    ["a\n", false],
])("%j is a DNS label: %p", (text, expected) => {
    expect(isDnsLabel(text)).toBe(expected);
});

test.each([
    ["A_b.c-d", true],
    ["a", true],
    ["x".repeat(63), true],
    ["x".repeat(64), false],
    ["", false],
    ["-a", false],
    ["a_", false],
    ["a b", false],
    [" a", false],
])("%j can be the value of a label: %p", (text, expected) => {
    expect(isLabelValue(text)).toBe(expected);
});

test.each([
    [key(1), true],
    [key(2).replace(/.=$/, "F="), false],
    [`${"A".repeat(43)}=`, false],
    [`${"A".repeat(42)}E=`, true],
    ["", false],
    [key(1).slice(1), false],
    [`x${key(1)}`, false],
    [`${key(1)}x`, false],
    [`${key(1)}\n`, false],
    [key(1).replaceAll("A", "-"), false],
])("%j is a public key: %p", (text, expected) => {
    expect(isPublicKey(text)).toBe(expected);
});
