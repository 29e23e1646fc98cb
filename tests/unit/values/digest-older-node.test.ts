import { digest, sha256 } from "../../../provider/values/digest";

test.each(["", "a", "é\u{1f600}", "x".repeat(10_000)])(
    "a digest is the same with and without crypto.hash: %#",
    (text) => {
        const here = [sha256(text, "hex"), sha256(text, "base64url"), digest(text)];
        jest.isolateModules(() => {
            jest.doMock("node:crypto", () => ({ ...jest.requireActual("node:crypto"), hash: undefined }));
            const old: typeof import("../../../provider/values/digest") = require("../../../provider/values/digest");
            expect([old.sha256(text, "hex"), old.sha256(text, "base64url"), old.digest(text)]).toEqual(here);
        });
    },
);
