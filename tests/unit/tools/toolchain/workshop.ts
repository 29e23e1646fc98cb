import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Context, defaultContext } from "../../../../tools/toolchain/context";
import type { Tool } from "../../../../tools/toolchain/tool";

/** A small world of its own for one test: cache, PATH and Go modules in a temporary directory, and a go that obeys. */
export interface Workshop {
    readonly directory: string;
    readonly bin: string;
    readonly cache: string;
    readonly lines: string[];
    readonly context: Context;
    /** How often the fake go has compiled something. */
    builds(): number;
    /** Puts a program on PATH (or elsewhere) that reports a version. */
    program(name: string, version: string, directory?: string): string;
    /** Puts a go on PATH. It "compiles" programs that report the version of the recipe, or does `instead`. */
    installGo(options?: { version?: string; instead?: string }): void;
    remove(): void;
}

export function workshop(overrides: Partial<Context> = {}): Workshop {
    const directory = mkdtempSync(join(tmpdir(), "kilo-toolchain-"));
    const [bin, cache, goModules] = ["bin", "cache", "go"].map((name) => join(directory, name)) as [
        string,
        string,
        string,
    ];
    for (const folder of [bin, join(goModules, "widget")]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(goModules, "widget", "go.mod"), "module widget\n\ngo 1.25.3\n");
    const lines: string[] = [];
    const counter = join(directory, "builds");
    return {
        directory,
        bin,
        cache,
        lines,
        context: defaultContext({
            env: { PATH: bin },
            cache,
            goModules,
            log: (line) => lines.push(line),
            connectTimeoutMs: 300,
            ...overrides,
        }),
        builds: () => (existsSync(counter) ? readFileSync(counter, "utf8").length : 0),
        program: (name, version, folder = bin) => {
            mkdirSync(folder, { recursive: true });
            return script(join(folder, name), reports(version));
        },
        installGo: ({ version = "1.26.8", instead } = {}) => {
            script(
                join(bin, "go"),
                `const [verb, ...rest] = process.argv.slice(2);
                if (verb === "env" || verb === "version") { console.log("go version go${version} test/test"); process.exit(0); }
                const fs = require("node:fs");
                fs.appendFileSync(${JSON.stringify(counter)}, ".");
                ${instead ?? `fs.writeFileSync(rest[rest.indexOf("-o") + 1], ${JSON.stringify(executable(reports("2.0.0")))}, { mode: 0o755 });`}`,
            );
        },
        remove: () => rmSync(directory, { recursive: true, force: true }),
    };
}

/** A tool like those of the catalogue, but of no weight. */
export function widget(overrides: Partial<Tool> = {}): Tool {
    return {
        name: "widget",
        variable: "TEST_WIDGET",
        kubebuilder: true,
        probe: { args: ["--version"], pattern: /widget v(\d+\.\d+\.\d+)/, atLeast: "2.0.0" },
        build: { version: "2.0.0", module: "widget", package: "example.test/widget", ldflags: "-s", usually: 42 },
        ...overrides,
    };
}

/** A program as it lies on disk. */
export function executable(code: string): string {
    return `#!${process.execPath}\n${code}\n`;
}

export function reports(version: string): string {
    return `console.log("widget v${version}");`;
}

function script(path: string, code: string): string {
    writeFileSync(path, executable(code), { mode: 0o755 });
    return path;
}
