import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import ts from "typescript";
import { optionsOf, ROOT, typeErrors } from "./support/check-types";

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

test("no type of the reference is shown as the schema that it is derived from", () => {
    expect(readFileSync(path.join(ROOT, "docs/reference/README.md"), "utf8")).not.toMatch(/Plain|z\.infer|nonEmpty/);
});

interface Argument {
    readonly name: string;
    readonly type: string;
    readonly optional: boolean;
    readonly description: string;
    readonly tags: ReadonlyMap<string, string>;
    readonly examples: readonly string[];
}

/** Every property of every interface in sdk/nodejs/args. */
function documentedArguments(): Argument[] {
    const folder = path.join(ROOT, "sdk/nodejs/args");
    return readdirSync(folder).flatMap((file) => {
        const text = readFileSync(path.join(folder, file), "utf8");
        const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
        return source.statements
            .filter(ts.isInterfaceDeclaration)
            .flatMap((type) => type.members.filter(ts.isPropertySignature).map((field) => argumentOf(type, field)));
    });
}

function argumentOf(type: ts.InterfaceDeclaration, field: ts.PropertySignature): Argument {
    const tags = ts
        .getJSDocTags(field)
        .map((tag) => [tag.tagName.text, ts.getTextOfJSDocComment(tag.comment) ?? ""] as const);
    const docs = ts.getJSDocCommentsAndTags(field).filter(ts.isJSDoc);
    return {
        name: `${type.name.text}.${field.name.getText()}`,
        type: type.name.text,
        optional: field.questionToken !== undefined,
        description: docs.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "").join("\n"),
        tags: new Map(tags),
        examples: tags.flatMap(([tag, text]) => (tag === "example" ? text : [])),
    };
}

const args = documentedArguments();

test.each(args)(
    "$name says what it means, with an example; optional ones their default and what to beware of",
    ({ description, tags, optional }) => {
        expect(description).not.toBe("");
        expect(tags.get("example")).toBeTruthy();
        if (!optional) return;
        expect(tags.get("default")).toBeTruthy();
        expect(description).toMatch(/Caution: /);
    },
);

test("every example of an argument compiles as that argument", () => {
    const lines = args.flatMap(({ type, examples }, i) =>
        examples.map((text, j) => `export const a${i}x${j}: Partial<k.${type}> = {\n${text}\n};`),
    );
    const given = 'import * as pulumi from "@pulumi/pulumi"; import type * as k from "pulumi-kilo-clustermesh";';
    const clusters =
        "declare const hub: { kubeconfig: pulumi.Output<string> }; declare const berlin: typeof hub; declare const eksCluster: { kubeconfig: pulumi.Output<any> };";
    const file = path.join(ROOT, "examples-of-arguments.ts");
    const options = optionsOf(path.join(ROOT, "examples/two-clusters/tsconfig.json"));
    const virtual = new Map([[file, [given, clusters, ...lines].join("\n")]]);
    expect(typeErrors([file], { ...options, rootDir: ROOT }, virtual)).toEqual([]);
});
