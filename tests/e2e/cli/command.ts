import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";

const PUBLISHED = path.join(__dirname, "../../../dist/cli/main.js");

export interface Result {
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly out: string;
    readonly err: string;
}

export interface JsonResult<T> {
    readonly code: number | null;
    readonly report: T;
}

/** The command as it is published (dist), each time as a process of its own in the directory. */
export class Command {
    readonly #running = new Set<ChildProcess>();

    constructor(
        private readonly directory: string,
        private readonly env: Readonly<Record<string, string>> = {},
    ) {}

    run(argv: readonly string[], during?: (child: ChildProcess) => void): Promise<Result> {
        const child = spawn(process.execPath, [PUBLISHED, ...argv], {
            cwd: this.directory,
            env: { ...process.env, ...this.env },
            stdio: ["ignore", "pipe", "pipe"],
        });
        this.#running.add(child);
        const texts = { out: "", err: "" };
        child.stdout.on("data", (chunk) => {
            texts.out += chunk;
        });
        child.stderr.on("data", (chunk) => {
            texts.err += chunk;
        });
        during?.(child);
        return new Promise((resolve, reject) => {
            child.on("error", reject);
            child.on("close", (code, signal) => {
                this.#running.delete(child);
                resolve({ code, signal, ...texts });
            });
        });
    }

    async json<T>(...argv: readonly string[]): Promise<JsonResult<T>> {
        const { code, out, err } = await this.run([...argv, "--json"]);
        if (out === "") throw new Error(err);
        return { code, report: JSON.parse(out) as T };
    }

    /** Ends whatever still runs. */
    end(): void {
        for (const child of this.#running) child.kill("SIGKILL");
    }
}

interface Link {
    readonly source: string;
    readonly target: string;
    readonly state: string;
    readonly [field: string]: unknown;
}

export interface Status {
    readonly healthy: boolean;
    readonly links: readonly Link[];
    readonly peers: readonly { readonly name: string; readonly target: string; readonly state: string }[];
    readonly skipped: readonly { readonly node: string; readonly reason: string; readonly target?: string }[];
    readonly clusters: readonly { readonly name: string; readonly answers: boolean; readonly message?: string }[];
}

export interface Doctor {
    readonly counts: { readonly error: number; readonly warning: number };
    readonly clusters: readonly { readonly cluster: string; readonly passed: readonly string[] }[];
    readonly findings: readonly {
        readonly code: string;
        readonly cluster?: string;
        readonly what: string;
        readonly next: string;
    }[];
}
