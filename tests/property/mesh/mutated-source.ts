import { readFileSync } from "node:fs";
import path from "node:path";
import { type TranspileOptions, transpileModule } from "typescript";

const ROOT = path.resolve(__dirname, "../../..");
const AS_JEST_RUNS: TranspileOptions = { compilerOptions: { module: 1, target: 9, esModuleInterop: true } };

/** One change of a file: what stands there, and what stands there instead. */
export interface SourceChange {
    readonly file: string;
    readonly from: string;
    readonly to: string;
}

/** What `entry` exports if the program has that one change; both are paths in the repository. */
export function mutatedExports<T>(entry: string, { file, from, to }: SourceChange): T {
    const absolute = path.join(ROOT, file);
    const source = readFileSync(absolute, "utf8");
    if (source.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`);
    const { outputText } = transpileModule(
        source.replace(from, () => to),
        AS_JEST_RUNS,
    );
    let exported: T | undefined;
    jest.isolateModules(() => {
        const evaluate = (): object => {
            const module = { exports: {} };
            const local = (name: string): unknown =>
                jest.requireActual(name.startsWith(".") ? path.resolve(path.dirname(absolute), name) : name);
            new Function("require", "module", "exports", outputText)(local, module, module.exports);
            return module.exports;
        };
        jest.doMock(absolute, evaluate);
        exported = (path.join(ROOT, entry) === absolute ? evaluate() : jest.requireActual(path.join(ROOT, entry))) as T;
        jest.dontMock(absolute);
    });
    return exported!;
}
