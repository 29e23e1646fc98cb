import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(__dirname, "../../..");
const PARTS = ["provider", "sdk", "cli", "tools", "docs", "index.ts", "Pulumi.yaml", "package.json", "schema.json"];
const SETTINGS = ["tsconfig.json", "tsconfig.build.json"];

export interface Finished {
    readonly code: number | null;
    readonly text: string;
}

export interface Started {
    readonly child: ChildProcess;
    readonly finished: Promise<Finished>;
    /** Resolves when this has been printed. */
    printed(text: string): Promise<void>;
}

/** A copy of the sources in a directory of its own, with the packages of this one: what `npm start` runs in. */
export class Clone {
    readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "kilo-clone-")));
    readonly clusters = join(this.directory, ".local/quickstart/clusters");

    constructor() {
        for (const part of [...PARTS, ...SETTINGS]) {
            cpSync(join(ROOT, part), join(this.directory, part), { recursive: true });
        }
        symlinkSync(join(ROOT, "node_modules"), join(this.directory, "node_modules"));
    }

    /** `npm start -- …`, as a user types it, in a process group of its own like a terminal's. */
    npmStart(...args: string[]): Started {
        return this.#spawn("npm", ["start", "--", ...args]);
    }

    /** The same program without npm around it, so that a signal hits it and nothing else. */
    bareStart(...args: string[]): Started {
        return this.tool("tools/quickstart/command.ts", ...args);
    }

    tool(path: string, ...args: string[]): Started {
        return this.#spawn(process.execPath, ["--import", require.resolve("tsx"), join(this.directory, path), ...args]);
    }

    remove(): void {
        rmSync(this.directory, { recursive: true, force: true });
    }

    #spawn(command: string, args: readonly string[]): Started {
        const child = spawn(command, args, {
            cwd: this.directory,
            detached: true,
            stdio: ["ignore", "pipe", "pipe"],
            env: { ...process.env, NO_COLOR: "1" },
        });
        let text = "";
        const waiting: (() => void)[] = [];
        for (const stream of [child.stdout, child.stderr]) {
            stream?.setEncoding("utf8").on("data", (chunk: string) => {
                text += chunk;
                for (const look of waiting) look();
            });
        }
        const finished = new Promise<Finished>((resolve) => {
            child.once("exit", (code) => resolve({ code, text }));
        });
        const printed = (wanted: string) =>
            new Promise<void>((resolve, reject) => {
                const look = () => text.includes(wanted) && resolve();
                waiting.push(look);
                look();
                void finished.then(() => reject(new Error(`it ended without printing "${wanted}":\n${text}`)));
            });
        return { child, finished, printed };
    }
}
