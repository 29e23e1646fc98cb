import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const ROOT = path.join(__dirname, "../../..");

/** All files of ours that a file imports, directly or not, and all packages. Types alone load nothing. */
function reach(entry: string): { files: ReadonlySet<string>; packages: ReadonlySet<string> } {
    const files = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string): void => {
        if (files.has(file)) return;
        files.add(file);
        const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), {
            compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
        });
        for (const { fileName } of ts.preProcessFile(outputText, true, true).importedFiles) {
            if (fileName.startsWith(".")) visit(resolved(path.resolve(path.dirname(file), fileName)));
            else packages.add(fileName);
        }
    };
    visit(path.join(ROOT, entry));
    return { files, packages };
}

const resolved = (base: string): string =>
    [`${base}.ts`, path.join(base, "index.ts")].find((candidate) => existsSync(candidate)) ?? base;

test("the command never loads Pulumi: it works where no program and no SDK is", () => {
    const { files, packages } = reach("cli/main.ts");
    expect(files.size).toBeGreaterThan(40);
    expect([...packages].filter((name) => name.startsWith("@pulumi") || name.startsWith("@grpc"))).toEqual([]);
});

test("the check itself would notice: the library does load Pulumi", () => {
    expect([...reach("sdk/nodejs/index.ts").packages]).toContain("@pulumi/pulumi");
});
