import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { exportStack } from "../../../../cli/stack/export";
import { temporaryDirectory } from "../../../support/temporary";

let temporary: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
    temporary = await temporaryDirectory();
});
afterEach(() => temporary.remove());

/** A `pulumi` on a PATH of its own. */
async function placeWith(script: string) {
    await temporary.file("pulumi", `#!/bin/sh\n${script}\n`, 0o700);
    return { stack: "dev", directory: temporary.path, env: { PATH: `${temporary.path}:${process.env.PATH}` } };
}

test("a pulumi that does not end is given up, and the message says so beside what it printed", async () => {
    // as a wrapper does: what it started holds its output open after its own end
    const place = await placeWith("echo 'a new version is available' >&2; sleep 100 & echo $! > left; wait");
    try {
        await expect(exportStack(place, 0.5)).rejects.toThrow(
            "the state of the stack dev cannot be read: pulumi has not ended within 0.5 s, and said: a new version is available",
        );
    } finally {
        process.kill(Number(await readFile(join(place.directory, "left"), "utf8")));
    }
});

test("a pulumi that fails is quoted, and the hint leads to a stack that is there", async () => {
    const place = await placeWith("echo 'error: no stack named dev' >&2; exit 255");
    await expect(exportStack(place)).rejects.toMatchObject({
        message: "the state of the stack dev cannot be read: no stack named dev",
        hint: expect.stringContaining("`pulumi stack ls`"),
    });
});

test("a pulumi that is ended by somebody is told apart from one that fails", async () => {
    const place = await placeWith("kill -TERM $$");
    await expect(exportStack(place)).rejects.toThrow("cannot be read: ended by SIGTERM");
});
