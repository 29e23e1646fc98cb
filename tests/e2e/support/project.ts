import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../../package.json";
import { PLUGIN_DIRECTORY } from "../../../tools/plugin/build";
import { pulumiEnvironment } from "../../../tools/pulumi/environment";
import type { Toolchain } from "../../../tools/toolchain";
import type { NodeRuntime } from "../../../tools/toolchain/node-runtime";
import { killAll, processTree } from "../../support/processes";
import type { LanguageProgram, Wanted } from "./language-program";

const ROOT = path.resolve(__dirname, "../../..");

export interface MeshEntry {
    readonly name: string;
    readonly args: Record<string, unknown>;
    readonly opts?: Record<string, unknown>;
    /** Meshes that it depends on; for programs in other languages than JavaScript. */
    readonly after?: readonly string[];
}

export interface Outcome {
    readonly code: number | null;
    /** Everything that was printed, standard output and error together. */
    readonly text: string;
    readonly milliseconds: number;
}

export interface StateResource {
    readonly urn: string;
    readonly type: string;
    readonly inputs?: Record<string, unknown>;
    readonly outputs?: Record<string, unknown>;
}

export interface ProjectOptions {
    readonly stack?: string;
    readonly name?: string;
    /** Default: the Node that runs the tests, and the SDK that they are installed with. */
    readonly runtime?: NodeRuntime;
    /** Who serves the resources: the dynamic host of a TypeScript program, or the plugin that other languages use. */
    readonly host?: MeshHost;
    /** Default: one in JavaScript. */
    readonly program?: LanguageProgram;
    /** Looks on while a command runs. */
    readonly during?: (project: Project, kind: "up" | "destroy", run: () => Promise<Outcome>) => Promise<Outcome>;
}

export type MeshHost = "dynamic" | "plugin";

/** A user's Pulumi project in a directory of its own, run by the real CLI against a file backend. */
export class Project {
    private readonly running = new Set<ChildProcess>();
    /** As they were last written. */
    meshes: readonly MeshEntry[] = [];

    private constructor(
        readonly dir: string,
        private readonly env: Record<string, string>,
        readonly stack: string,
        public host: MeshHost,
        private readonly during: NonNullable<ProjectOptions["during"]>,
        private readonly name: string,
        private readonly program: LanguageProgram | undefined,
    ) {}

    static async create(toolchain: Pick<Toolchain, "binDir">, options: ProjectOptions = {}): Promise<Project> {
        const dir = await mkdtemp(path.join(os.tmpdir(), "clustermesh-e2e-"));
        const stack = options.stack ?? "test";
        const env = pulumiEnvironment(toolchain, dir);
        const { runtime, program, name = "meshes" } = options;
        const search = runtime === undefined ? {} : { PATH: `${runtime.bin}${path.delimiter}${env.PATH}` };
        const project = new Project(
            dir,
            { ...env, ...search, ...program?.env },
            stack,
            options.host ?? "dynamic",
            options.during ?? ((_project, _kind, run) => run()),
            name,
            program,
        );
        if (program === undefined) await project.installProgram(runtime);
        else await program.write(dir, name, { meshes: [] });
        await project.installPlugin();
        await project.run(["stack", "init", stack]);
        return project;
    }

    private async installProgram(runtime: NodeRuntime | undefined): Promise<void> {
        const { dir, name } = this;
        await writeFile(path.join(dir, "Pulumi.yaml"), `name: ${name}\nruntime: nodejs\nmain: index.js\n`);
        await writeFile(path.join(dir, "package.json"), JSON.stringify({ name: "meshes", main: "index.js" }));
        await cp(path.join(__dirname, "program.js"), path.join(dir, "index.js"));
        await mkdir(path.join(dir, "node_modules"));
        if (runtime !== undefined) return this.installPackage(runtime);
        await symlink(path.join(ROOT, "node_modules/@pulumi"), path.join(dir, "node_modules/@pulumi"));
        await this.linkPackage();
    }

    private get packageLink(): string {
        return path.join(this.dir, "node_modules/pulumi-kilo-clustermesh");
    }

    async linkPackage(): Promise<void> {
        await symlink(ROOT, this.packageLink);
    }

    /** As npm does: a copy beside the SDK, which would else take the SDK that lies beside the sources. */
    private async installPackage({ modules }: NodeRuntime): Promise<void> {
        for (const name of await readdir(modules)) {
            await symlink(path.join(modules, name), path.join(this.dir, "node_modules", name));
        }
        for (const part of ["package.json", "dist"]) {
            await cp(path.join(ROOT, part), path.join(this.packageLink, part), { recursive: true });
        }
    }

    private get pluginDirectory(): string {
        return path.join(this.env.PULUMI_HOME ?? "", `plugins/resource-kilo-clustermesh-v${version}`);
    }

    /** As `pulumi plugin install` does. */
    async installPlugin(): Promise<void> {
        await cp(PLUGIN_DIRECTORY, this.pluginDirectory, { recursive: true });
    }

    async removePlugin(): Promise<void> {
        await rm(this.pluginDirectory, { recursive: true });
    }

    async unlinkPackage(): Promise<void> {
        await rm(this.packageLink);
    }

    write(...meshes: MeshEntry[]): Promise<void> {
        return this.writeWanted({ meshes });
    }

    /** The same, with kubeconfigs that a resource of the program makes: another one in every round. */
    writeLater(later: NonNullable<Wanted["later"]>, ...meshes: MeshEntry[]): Promise<void> {
        return this.writeWanted({ meshes, later });
    }

    private async writeWanted(wanted: Wanted): Promise<void> {
        this.meshes = wanted.meshes;
        await writeFile(path.join(this.dir, "mesh.json"), JSON.stringify(wanted));
        await this.program?.write(this.dir, this.name, wanted);
    }

    /** Starts a command of the CLI; `kill` and `interrupt` reach the whole tree of it. For use within `watched`. */
    start(args: readonly string[], env: Record<string, string> = {}): Running {
        const begun = performance.now();
        const child = spawn("pulumi", [...args, "--non-interactive", "--color=never"], {
            cwd: this.dir,
            env: { ...this.hostEnv(), ...env },
            stdio: ["ignore", "pipe", "pipe"],
            detached: true,
        });
        this.running.add(child);
        let text = "";
        for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += String(chunk)));
        const done = new Promise<Outcome>((resolve) => {
            child.on("close", (code) => {
                this.running.delete(child);
                resolve({ code, text, milliseconds: performance.now() - begun });
            });
        });
        const signal = (name: NodeJS.Signals) => () => {
            if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name);
        };
        // -1 is refused by whoever would signal it: a command that could not be started has no process.
        return {
            pid: child.pid ?? -1,
            done,
            printed: () => text,
            kill: signal("SIGKILL"),
            interrupt: signal("SIGINT"),
            hangUp: () => {
                child.stdout?.destroy();
                child.stderr?.destroy();
            },
        };
    }

    private hostEnv(): Record<string, string> {
        if (this.host === "dynamic") return this.env;
        return { ...this.env, MESH_HOST: "plugin" };
    }

    async run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
        return this.watched(args, () => this.start(args, env).done);
    }

    /** What the command does to the clusters is judged, however it ends. */
    watched(args: readonly string[], run: () => Promise<Outcome>): Promise<Outcome> {
        const [kind] = args;
        return kind === "up" || kind === "destroy" ? this.during(this, kind, run) : run();
    }

    up(...args: string[]): Promise<Outcome> {
        return this.run(["up", "--yes", "--skip-preview", "--stack", this.stack, ...args]);
    }

    preview(...args: string[]): Promise<Outcome> {
        return this.run(["preview", "--diff", "--stack", this.stack, ...args]);
    }

    refresh(...args: string[]): Promise<Outcome> {
        return this.run(["refresh", "--yes", "--skip-preview", "--diff", "--stack", this.stack, ...args]);
    }

    destroy(...args: string[]): Promise<Outcome> {
        return this.run(["destroy", "--yes", "--skip-preview", "--stack", this.stack, ...args]);
    }

    async stateFile(): Promise<string> {
        const backend = fileURLToPath(this.env.PULUMI_BACKEND_URL ?? "");
        return readFile(path.join(backend, `.pulumi/stacks/meshes/${this.stack}.json`), "utf8");
    }

    async resources(): Promise<readonly StateResource[]> {
        const { text } = await this.run(["stack", "export", "--stack", this.stack]);
        return JSON.parse(text).deployment.resources ?? [];
    }

    async output(mesh: string): Promise<Record<string, unknown>> {
        const { text } = await this.run(["stack", "output", "--json", "--show-secrets", "--stack", this.stack]);
        return JSON.parse(text)[mesh];
    }

    async remove(): Promise<void> {
        const children = [...this.running].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
        killAll(children.flatMap((pid) => processTree(pid)).map(({ pid }) => pid));
        await rm(this.dir, { recursive: true, force: true });
    }
}

export interface Running {
    readonly pid: number;
    readonly done: Promise<Outcome>;
    readonly printed: () => string;
    readonly kill: () => void;
    readonly interrupt: () => void;
    /** Nobody reads what it prints any more: the next line ends it by SIGPIPE. */
    readonly hangUp: () => void;
}
