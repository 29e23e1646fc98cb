import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pulumiEnvironment } from "../../tools/pulumi/environment";
import type { Toolchain } from "../../tools/toolchain";
import { type Watched, watchProcesses } from "./process-watch";

const PROGRAMS = join(__dirname, "../programs");
const DEPENDENCIES = join(__dirname, "../../node_modules");
const PROJECT = "bench";
const STACK = "bench";
const PLAIN = ["--non-interactive", "--color=never"];

export interface Run {
    readonly milliseconds: number;
    /** Only when asked for: looking at processes ten times a second takes time from them. */
    readonly watched?: Watched;
}

/** Those in bench/programs. */
export type Program = "empty" | "one-resource" | "mesh" | "remote-mesh" | "naive";

export type Operation = "up" | "preview" | "refresh" | "destroy";

/** A Pulumi project in a directory of its own, run by the real CLI against a file backend. */
export class Stack {
    readonly name = STACK;

    private constructor(
        readonly directory: string,
        readonly env: Readonly<Record<string, string>>,
    ) {}

    static async create(
        tools: Toolchain,
        workplace: { readonly directory: string; readonly package: string },
        program: Program,
    ): Promise<Stack> {
        const directory = await mkdtemp(join(workplace.directory, `${program}-`));
        const modules = join(directory, "node_modules");
        await writeFile(join(directory, "Pulumi.yaml"), `name: ${PROJECT}\nruntime: nodejs\nmain: index.js\n`);
        await writeFile(join(directory, "package.json"), JSON.stringify({ name: PROJECT, main: "index.js" }));
        await cp(join(PROGRAMS, `${program}.js`), join(directory, "index.js"));
        await mkdir(join(modules, "naive-peer-provider"), { recursive: true });
        await cp(join(PROGRAMS, "naive-peer-provider.js"), join(modules, "naive-peer-provider/index.js"));
        for (const name of ["@pulumi", "undici"]) await symlink(join(DEPENDENCIES, name), join(modules, name));
        await symlink(workplace.package, join(modules, "pulumi-kilo-clustermesh"));
        const env = pulumiEnvironment(tools, directory);
        const { version } = JSON.parse(await readFile(join(workplace.package, "package.json"), "utf8"));
        await cp(
            join(workplace.package, "dist/plugin"),
            join(env.PULUMI_HOME!, `plugins/resource-kilo-clustermesh-v${version}`),
            { recursive: true },
        );
        const stack = new Stack(directory, env);
        await stack.pulumi(["stack", "init", STACK, ...PLAIN]);
        return stack;
    }

    /** Gives the program what it reads. */
    async give(file: "mesh.json" | "peers.json", content: unknown): Promise<void> {
        await writeFile(join(this.directory, file), JSON.stringify(content));
    }

    run(operation: Operation, options: { readonly watch?: boolean } = {}): Promise<Run> {
        return this.pulumi(this.arguments(operation), options.watch);
    }

    /** What follows `pulumi` on the command line. */
    arguments(operation: Operation): readonly string[] {
        const flags = operation === "preview" ? [] : ["--yes", "--skip-preview"];
        return [operation, ...flags, "--stack", STACK, ...PLAIN];
    }

    async time(operation: Operation): Promise<number> {
        return (await this.run(operation)).milliseconds;
    }

    /** The checkpoint as the backend stores it. */
    async state(): Promise<string> {
        return readFile(join(this.directory, `.pulumi/stacks/${PROJECT}/${STACK}.json`), "utf8");
    }

    async remove(): Promise<void> {
        await rm(this.directory, { recursive: true, force: true });
    }

    private async pulumi(args: readonly string[], watch = false): Promise<Run> {
        const begun = performance.now();
        const child = spawn("pulumi", args, {
            cwd: this.directory,
            env: this.env,
            stdio: ["ignore", "pipe", "pipe"],
        });
        const watching = watch && child.pid !== undefined ? watchProcesses(child.pid) : undefined;
        let text = "";
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
        const code = await new Promise<number | null>((resolve, reject) => {
            child.on("error", reject);
            child.on("close", resolve);
        });
        const milliseconds = performance.now() - begun;
        const watched = watching?.stop();
        if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${text}`);
        return { milliseconds, ...(watched === undefined ? {} : { watched }) };
    }
}
