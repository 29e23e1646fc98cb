import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

export const ROOT = path.resolve(__dirname, "../../../..");

/** What a user's program sees under the package's name, without a build and without an installed copy. */
const PATHS = {
    "pulumi-kilo-clustermesh": ["./sdk/nodejs/index.ts"],
    "pulumi-kilo-clustermesh/testing": ["./sdk/nodejs/testing/index.ts"],
};

/** The compiler's complaints about the files, as `file:line: message`. Files in `virtual` need not exist. */
export function typeErrors(
    files: readonly string[],
    options: ts.CompilerOptions,
    virtual: ReadonlyMap<string, string> = new Map(),
): string[] {
    const resolved: ts.CompilerOptions = { ...options, noEmit: true, paths: PATHS, pathsBasePath: ROOT };
    const host = ts.createCompilerHost(resolved);
    const { fileExists, readFile, getSourceFile } = host;
    host.getCurrentDirectory = () => ROOT;
    host.fileExists = (file) => virtual.has(file) || fileExists.call(host, file);
    host.readFile = (file) => virtual.get(file) ?? readFile.call(host, file);
    host.getSourceFile = (file, language, ...rest) => {
        const text = virtual.get(file);
        return text === undefined
            ? getSourceFile.call(host, file, language, ...rest)
            : ts.createSourceFile(file, text, language);
    };
    const program = ts.createProgram({ rootNames: [...files], options: resolved, host });
    const own = new Set(files.map((file) => path.resolve(file)));
    return ts
        .getPreEmitDiagnostics(program)
        .filter(({ file }) => file === undefined || own.has(path.resolve(file.fileName)))
        .map((diagnostic) => describe(diagnostic));
}

function describe({ file, start, messageText }: ts.Diagnostic): string {
    const message = ts.flattenDiagnosticMessageText(messageText, " ");
    if (file === undefined) return message;
    const line = file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    return `${path.relative(ROOT, file.fileName)}:${line}: ${message}`;
}

/** The options of a tsconfig.json, as the compiler reads them. */
export function optionsOf(file: string): ts.CompilerOptions {
    const { config, error } = ts.parseConfigFileTextToJson(file, readFileSync(file, "utf8"));
    if (error !== undefined) throw new Error(describe(error));
    return ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(file)).options;
}
