import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { version } from "../../package.json";
import type { ClusterHandle } from "../clusters";
import { isLanguage, languageRuntime } from "../languages/runtime";
import { PLUGIN_DIRECTORY } from "../plugin/build";
import { ROOT } from "../process/run-program";
import { pulumiEnvironment } from "../pulumi/environment";
import type { Toolchain } from "../toolchain";
import { type ClustersByName, type Scene, scenes, threeNodes } from "./scenes";

const STACK = "local";
/** What `npm install` would put there, taken from this repository; the package itself is linked under its name. */
const INSTALLED = ["@pulumi", "@types", "typescript"];

export interface Outcome {
    readonly code: number | null;
    /** Everything that was printed, standard output and error together. */
    readonly text: string;
}

/** A copy of an example in a directory of its own, with its scene set on local clusters and a stack to run. */
export interface ExampleProject {
    readonly directory: string;
    readonly clusters: ClustersByName;
    /** Runs the CLI in it. */
    pulumi(args: readonly string[], options?: { onText?: (text: string) => void }): Promise<Outcome>;
    setConfig(key: string, value: string): Promise<void>;
    outputs(): Promise<Record<string, unknown>>;
    remove(): void;
}

export function sceneOf(name: string): Scene {
    const scene = Object.hasOwn(scenes, name) ? scenes[name] : undefined;
    if (scene !== undefined) return scene;
    throw new Error(`There is no example ${name}; there are ${Object.keys(scenes).join(", ")}`);
}

/** `clusters` are the running local clusters, in the order of the scene's names. */
export async function openExample(
    name: string,
    tools: Pick<Toolchain, "binDir">,
    clusters: readonly ClusterHandle[],
): Promise<ExampleProject> {
    const scene = sceneOf(name);
    const byName = Object.fromEntries(scene.clusters.map((called, at) => [called, clusters[at]!]));
    for (const [called, cluster] of Object.entries(byName)) await cluster.putNodes((scene.nodes ?? threeNodes)(called));
    await scene.prepare?.(byName);

    const directory = mkdtempSync(join(tmpdir(), `example-${name}-`));
    cpSync(join(ROOT, "examples", name), directory, {
        recursive: true,
        filter: (file) => !file.endsWith("node_modules"),
    });
    const entries = Object.entries(scene.config?.(byName) ?? {});
    const config = Object.fromEntries(entries.map(([key, value]) => [`${name}:${key}`, value]));
    writeFileSync(join(directory, `Pulumi.${STACK}.yaml`), stringify({ config }, { version: "1.1" }));

    const base = pulumiEnvironment(tools, directory);
    const env = {
        ...base,
        ...(await install(directory, base)),
        // The unit tests check the types; doing it again at every run costs seconds.
        PULUMI_NODEJS_TRANSPILE_ONLY: "true",
        PULUMI_STACK: STACK,
        ...scene.environment?.(byName),
    };
    const pulumi: ExampleProject["pulumi"] = async (args, { onText } = {}) => {
        const child = spawn(join(tools.binDir, "pulumi"), [...args, "--non-interactive", "--color=never"], {
            cwd: directory,
            env,
            stdio: ["ignore", "pipe", "pipe"],
        });
        let text = "";
        for (const stream of [child.stdout, child.stderr]) {
            stream.setEncoding("utf8").on("data", (chunk: string) => {
                text += chunk;
                onText?.(chunk);
            });
        }
        const code = await new Promise<number | null>((resolve, reject) => {
            child.once("error", reject);
            child.once("close", resolve);
        });
        return { code, text };
    };
    const orFail = async (args: readonly string[]): Promise<string> => {
        const { code, text } = await pulumi(args);
        if (code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${text}`);
        return text;
    };
    await orFail(["stack", "init", STACK]);
    return {
        directory,
        clusters: byName,
        pulumi,
        setConfig: async (key, value) => void (await orFail(["config", "set", key, value])),
        outputs: async () => JSON.parse(await orFail(["stack", "output", "--json"])),
        remove: () => rmSync(directory, { recursive: true, force: true }),
    };
}

/** What users install for the language of the program; returns the variables that it is run with. */
async function install(directory: string, env: Record<string, string>): Promise<Record<string, string>> {
    const { runtime } = parse(readFileSync(join(directory, "Pulumi.yaml"), "utf8")) as { runtime: unknown };
    if (!isLanguage(runtime)) {
        link(directory);
        return {};
    }
    const plugin = join(env.PULUMI_HOME!, "plugins", `resource-kilo-clustermesh-v${version}`);
    cpSync(PLUGIN_DIRECTORY, plugin, { recursive: true });
    return (await languageRuntime(runtime)).install(directory, env);
}

function link(directory: string): void {
    const modules = join(directory, "node_modules");
    mkdirSync(modules);
    symlinkSync(ROOT, join(modules, "pulumi-kilo-clustermesh"), "junction");
    for (const name of INSTALLED) {
        symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
    }
}
