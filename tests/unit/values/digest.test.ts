import { createHash } from "node:crypto";
import { digest, sha256 } from "../../../provider/values/digest";

test.each(["", "a", "é\u{1f600}", "x".repeat(10_000)])("a digest is SHA-256 in either encoding: %#", (text) => {
    for (const encoding of ["hex", "base64url"] as const) {
        expect(sha256(text, encoding)).toBe(createHash("sha256").update(text).digest(encoding));
    }
});

test("a digest is the beginning of SHA-256 in hex", () => {
    expect(digest("abc")).toBe("ba7816bf8f01cfea");
});
