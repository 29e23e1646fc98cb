import { spawn } from "node:child_process";
import { cleanText } from "../../provider/kube/errors/redact";
import type { RunEnd, Runner, Running } from "./runner";

export interface CommandOptions {
    readonly words: readonly string[];
    readonly directory: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Values that must not show up in a log. */
    readonly secrets: () => readonly string[];
}

const LAST_LINES = 20;
const LONGEST_OUTPUT = 16_384;

/** Runs a command, for instance `pulumi up --yes --skip-preview`. */
export const commandRunner = (options: CommandOptions): Runner => ({
    title: options.words.join(" "),
    start: () => startCommand(options),
});

function startCommand({ words, directory, env, secrets }: CommandOptions): Running {
    const [program = "", ...argv] = words;
    // In a group of its own: a ^C of the terminal reaches us alone, and the command once, from us. A second one would kill it.
    const child = spawn(program, argv, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let tail = "";
    const keep = (chunk: Buffer): void => {
        tail = (tail + chunk.toString("utf8")).slice(-LONGEST_OUTPUT);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const lines = (): readonly string[] =>
        tail
            .split(/\r?\n/)
            .map((line) => cleanText(withoutColours(line), secrets()))
            .filter((line) => line !== "")
            .slice(-LAST_LINES);
    return {
        done: new Promise<RunEnd>((resolve) => {
            child.on("error", (error: NodeJS.ErrnoException) =>
                resolve({ isOk: false, how: `it cannot be started (${error.code ?? "unknown error"})`, lines: [] }),
            );
            child.on("close", (code, signal) =>
                resolve({
                    isOk: code === 0,
                    how: signal === null ? `exit code ${code}` : `ended by ${signal}`,
                    lines: lines(),
                }),
            );
        }),
        interrupt: () => {
            if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
            try {
                process.kill(-child.pid, "SIGINT");
            } catch {
                // it has just ended
            }
        },
    };
}

const withoutColours = (line: string): string =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    line.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "");
