import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../../..");
const page = readFileSync(join(ROOT, "docs/errors.md"), "utf8");
const listed = new Set([...page.matchAll(/^\| `([A-Za-z-]+)` \|/gm)].map(([, code]) => code!));

function sources(folder: string): string {
    return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(join(ROOT, folder, name), "utf8"))
        .join("\n");
}

const found = (text: string, pattern: RegExp): string[] => [
    ...new Set([...text.matchAll(pattern)].map(([, code]) => code!)),
];

describe("docs/errors.md has an entry for", () => {
    test.each(found(sources("provider/mesh"), /issue\(\s*"(?:error|warning|info)",\s*"([A-Z][A-Za-z]+)"/g))(
        "the finding %s",
        (code) => expect(listed).toContain(code),
    );

    test.each(found(sources("provider/net"), /code: "(Cidr[A-Za-z]+)"/g))("the finding %s", (code) =>
        expect(listed).toContain(code),
    );

    test.each(
        found(
            /export type SkipReason =([^;]+);/.exec(readFileSync(join(ROOT, "provider/mesh/types.ts"), "utf8"))![1]!,
            /"([A-Za-z]+)"/g,
        ),
    )("the skip reason %s", (code) => expect(listed).toContain(code));

    test.each(
        found(
            /export type KubeErrorKind =([^;]+);/.exec(
                readFileSync(join(ROOT, "provider/kube/errors/kube-error.ts"), "utf8"),
            )![1]!,
            /\| "([a-z-]+)"/g,
        ),
    )("the kind of failure %s", (kind) => expect(listed).toContain(kind));

    test.each(found(sources("cli/doctor"), /code: "([A-Z][A-Za-z]+)"/g))("the finding %s of doctor", (code) =>
        expect(listed).toContain(code),
    );
});

test("docs/errors.md lists no code that does not exist", () => {
    const code = sources("provider") + sources("sdk") + sources("cli");
    for (const entry of listed) expect(code).toContain(`"${entry}"`);
});
