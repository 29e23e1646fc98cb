import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";
import { type Language, languageRuntime } from "../../../tools/languages/runtime";
import { ROOT } from "../../../tools/process/run-program";
import { pulumiEnvironment } from "../../../tools/pulumi/environment";
import type { Toolchain } from "../../../tools/toolchain";
import type { MeshEntry } from "./project";

const SOURCES = path.resolve(__dirname, "../plugin/programs");
const TYPE = "kilo-clustermesh:ClusterMesh";
const OUTPUTS = ["peers", "skippedNodes", "issues", "unreachable", "meshFile"];

/** What a program is to make, as `mesh.json` says it. */
export interface Wanted {
    readonly meshes: readonly MeshEntry[];
    /** Clusters whose kubeconfigs a resource of the program makes. */
    readonly later?: { readonly clusters: readonly string[]; readonly round: number };
}

/** The program of the end-to-end projects in another language, prepared once for all projects of a test file. */
export interface LanguageProgram {
    /** What it is run with, besides the environment of its project. */
    readonly env: Readonly<Record<string, string>>;
    /** Puts it into the project of this name; `mesh.json` is there already. */
    write(directory: string, name: string, wanted: Wanted): Promise<void>;
    remove(): Promise<void>;
}

export async function languageProgram(language: Language, tools: Toolchain): Promise<LanguageProgram> {
    const shared = await mkdtemp(path.join(os.tmpdir(), `clustermesh-${language}-`));
    const remove = () => rm(shared, { recursive: true, force: true });
    const writeProject = (directory: string, project: unknown): Promise<void> =>
        writeFile(path.join(directory, "Pulumi.yaml"), stringify(project));
    if (language === "yaml") {
        // As the example says it: the comment is printed with the line.
        const example = await readFile(path.join(ROOT, "examples/two-clusters-yaml/Pulumi.yaml"), "utf8");
        const typeLine = new RegExp(`type: ${TYPE}.*`).exec(example)![0];
        const write: LanguageProgram["write"] = (directory, name, wanted) =>
            writeFile(
                path.join(directory, "Pulumi.yaml"),
                stringify({ name, runtime: "yaml", ...yamlProgram(wanted) }).replaceAll(`type: ${TYPE}`, typeLine),
            );
        return { env: {}, write, remove };
    }
    if (language === "go") {
        for (const file of ["go.mod", "go.sum"])
            await cp(path.join(ROOT, "examples/two-clusters-go", file), path.join(shared, file));
        await cp(path.join(SOURCES, "main.go"), path.join(shared, "main.go"));
    }
    const env = await (await languageRuntime(language)).install(shared, pulumiEnvironment(tools, shared));
    if (language === "python") {
        const write: LanguageProgram["write"] = async (directory, name) => {
            await cp(path.join(SOURCES, "__main__.py"), path.join(directory, "__main__.py"));
            await writeProject(directory, { name, runtime: "python" });
        };
        return { env, write, remove };
    }
    const binary = path.join(shared, "program");
    await promisify(execFile)("go", ["build", "-o", binary, "."], { cwd: shared, env: { ...process.env, ...env } });
    // Compiled once: the host is told so by an argument; newer ones read the project's options, which the old one ignores.
    const host = path.join(shared, "bin", "pulumi-language-go");
    await mkdir(path.dirname(host));
    const script = `#!/bin/sh\nexec '${path.join(tools.binDir, "pulumi-language-go")}' -binary='${binary}' "$@"\n`;
    await writeFile(host, script, { mode: 0o755 });
    const search = [path.dirname(host), tools.binDir, process.env.PATH].join(path.delimiter);
    const write: LanguageProgram["write"] = (directory, name) =>
        writeProject(directory, { name, runtime: { name: "go", options: { binary } } });
    return { env: { ...env, PATH: search }, write, remove };
}

/** A program in YAML is data: the meshes as they are. */
function yamlProgram({ meshes, later }: Wanted): object {
    const resources: Record<string, unknown> = {};
    const outputs: Record<string, unknown> = {};
    for (const { name, args, after = [] } of meshes) {
        const clusters = (args.clusters as readonly { name: string; kubeconfig: string }[]).map((cluster) => {
            if (later?.clusters.includes(cluster.name) !== true) return cluster;
            const made = `${name}-${cluster.name}-made`;
            resources[made] = { type: "pulumi:Stash", properties: { input: "" } };
            return { ...cluster, kubeconfig: `${cluster.kubeconfig}\n# \${${made}.id}` };
        });
        resources[name] = {
            type: TYPE,
            properties: { ...args, clusters },
            options: { dependsOn: after.map((other) => `\${${other}}`) },
        };
        outputs[name] = Object.fromEntries(OUTPUTS.map((output) => [output, `\${${name}.${output}}`]));
    }
    return { resources, outputs };
}
