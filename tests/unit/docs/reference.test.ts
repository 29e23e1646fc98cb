import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import ts from "typescript";
import { ROOT } from "./support/check-types";

/** The compiler reads the whole package for it, beside other tests. */
jest.setTimeout(300_000);

test("docs/reference is what `npm run docs` makes of the present comments", () => {
    const fresh = mkdtempSync(path.join(tmpdir(), "reference-"));
    try {
        const typedoc = path.join(ROOT, "node_modules/typedoc/bin/typedoc");
        execFileSync(process.execPath, [typedoc, "--out", fresh, "--logLevel", "Error"], { cwd: ROOT, stdio: "pipe" });
        const checkedIn = path.join(ROOT, "docs/reference");
        expect(readdirSync(checkedIn).sort()).toEqual(readdirSync(fresh).sort());
        for (const file of readdirSync(fresh)) {
            expect(readFileSync(path.join(checkedIn, file), "utf8")).toBe(readFileSync(path.join(fresh, file), "utf8"));
        }
    } finally {
        rmSync(fresh, { recursive: true, force: true });
    }
});

interface Argument {
    readonly name: string;
    readonly optional: boolean;
    readonly comment: string;
}

/** Every property of every exported interface in sdk/nodejs/args.ts. */
function documentedArguments(): Argument[] {
    const text = readFileSync(path.join(ROOT, "sdk/nodejs/args.ts"), "utf8");
    const source = ts.createSourceFile("args.ts", text, ts.ScriptTarget.Latest, true);
    return source.statements.filter(ts.isInterfaceDeclaration).flatMap((declaration) =>
        declaration.members.filter(ts.isPropertySignature).map((property) => ({
            name: `${declaration.name.text}.${property.name.getText()}`,
            optional: property.questionToken !== undefined,
            comment: ts
                .getJSDocCommentsAndTags(property)
                .map((doc) => doc.getText())
                .join(),
        })),
    );
}

test.each(documentedArguments())(
    "$name says what it means, with an example; optional ones their default and what to beware of",
    ({ comment, optional }) => {
        expect(comment).toMatch(/\/\*\*\s*(\* )?\S/);
        expect(comment).toMatch(/Example: /);
        if (!optional) return;
        expect(comment).toMatch(/Default: /);
        expect(comment).toMatch(/Caution: /);
    },
);
