import { cleanText } from "../../../provider/kube/errors/redact";
import fc from "../../support/chance";

test("text from outside becomes one bounded line without control, invisible or direction-changing characters", () => {
    fc.assert(
        fc.property(fc.string({ unit: "binary", maxLength: 3000 }), (text) => {
            const clean = cleanText(text);
            expect(clean.length).toBeLessThanOrEqual(520);
            expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
        }),
    );
    expect(cleanText("a\u001b[31mb\r\nc\u202e\u0000d")).toBe("a\\u{1b}[31mb c\\u{202e}\\u{0}d");
});

test("known secrets are gone wherever they stand", () => {
    fc.assert(
        fc.property(fc.string(), fc.string(), fc.base64String({ minLength: 8 }), (before, after, secret) => {
            expect(cleanText(`${before} ${secret} ${after}`, [secret])).not.toContain(secret);
        }),
    );
});

test.each([
    ["got Authorization: Bearer abc.def-ghi", "abc.def-ghi"],
    ["Basic dXNlcjpwYXNz refused", "dXNlcjpwYXNz"],
    ["token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.sig", "eyJzdWIiOiJ4In0"],
    ["proxy http://user:hunter2@p.example:3128 said no", "hunter2"],
    ["key -----BEGIN PRIVATE KEY-----MIIEvQIBADAN-----END PRIVATE KEY----- bad", "MIIEvQIBADAN"],
])("what looks like a secret is gone: %s", (text, secret) => {
    expect(cleanText(text)).not.toContain(secret);
    expect(cleanText(text)).toContain("[secret]");
});
