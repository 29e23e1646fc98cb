import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../../tools/process/run-program";
import { generateSdks } from "../../../tools/sdks/generate";
import { GENERATED } from "../../../tools/sdks/generated";

// The generators are compiled first, beside other tests.
jest.setTimeout(900_000);

let directory: string;
beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "kilo-sdks-"));
    await generateSdks(join(ROOT, "schema.json"), directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** File → content; what running Python leaves there is no part of it. */
function contents(root: string): Record<string, string> {
    const files = GENERATED.flatMap((name) =>
        statSync(join(root, name)).isFile()
            ? [name]
            : readdirSync(join(root, name), { recursive: true, encoding: "utf8" }).map((entry) => join(name, entry)),
    );
    const kept = files.filter((file) => statSync(join(root, file)).isFile() && !file.includes("__pycache__")).sort();
    return Object.fromEntries(kept.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

test("the generated SDKs are what `npm run sdks` makes of schema.json", () => {
    expect(contents(join(ROOT, "sdk"))).toEqual(contents(directory));
});

test("nothing is generated that nobody commits", () => {
    const made = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((file) =>
        statSync(join(directory, file)).isFile(),
    );
    expect(made.sort()).toEqual(Object.keys(contents(directory)));
});
