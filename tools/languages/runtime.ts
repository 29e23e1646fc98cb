import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { version } from "../../package.json";
import { ROOT } from "../process/run-program";
import { pythonPackages as pythonRelease } from "../release/python-packages";
import { type Context, defaultContext } from "../toolchain/context";
import { pythonPackages } from "../toolchain/python-packages";

export const LANGUAGES = ["yaml", "python", "go"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What a program in another language needs to be run from this repository, as its users get it from a release. */
export interface LanguageRuntime {
    /** Gives a copy of the program our SDK, and returns the variables that the CLI is to be run with. */
    install(directory: string, env: Readonly<Record<string, string>>): Promise<Record<string, string>>;
}

const run = promisify(execFile);

export const isLanguage = (runtime: unknown): runtime is Language => LANGUAGES.some((each) => each === runtime);

export async function languageRuntime(language: Language, options: Partial<Context> = {}): Promise<LanguageRuntime> {
    const context = defaultContext(options);
    if (language === "python") return pythonRuntime(context);
    return language === "go" ? goRuntime(context) : { install: async () => ({}) };
}

async function pythonRuntime(context: Context): Promise<LanguageRuntime> {
    const { bin, packages } = await pythonPackages(context);
    const released = await pythonRelease(join(ROOT, "sdk/python"), version, readFileSync(join(ROOT, "LICENSE")));
    const [wheel, content] = [...released].find(([name]) => name.endsWith(".whl"))!;
    return {
        async install(directory, env) {
            const target = join(directory, ".python");
            mkdirSync(target);
            writeFileSync(join(target, wheel), content);
            const quiet = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
            const args = ["-m", "pip", "install", ...quiet, "--no-index", "--no-deps", "--target", target];
            await run(join(bin, "python3"), [...args, join(target, wheel)], { env: context.env });
            return {
                PATH: [bin, env.PATH].join(delimiter),
                PYTHONPATH: [target, packages].join(delimiter),
                PYTHONDONTWRITEBYTECODE: "1",
            };
        },
    };
}

async function goRuntime(context: Context): Promise<LanguageRuntime> {
    const names = ["GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOROOT"];
    const { stdout } = await run("go", ["env", "-json", ...names], { env: context.env, cwd: dirname(__dirname) });
    // Named, because they are found by HOME, which is the project's own here.
    const found: Record<string, string> = JSON.parse(stdout);
    return {
        async install(directory) {
            const file = join(directory, "go.mod");
            const module = readFileSync(file, "utf8");
            writeFileSync(
                file,
                module.replace(/=> \S+sdk\/go$/m, () => `=> ${join(ROOT, "sdk/go")}`),
            );
            return { ...found, GOFLAGS: "-mod=readonly", GOWORK: "off" };
        },
    };
}
