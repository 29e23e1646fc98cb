import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
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
/** Of a longer one the rest is dropped. */
const LONGEST_LINE = 1 << 20;
/** After the end of a command, for the rest of what it printed. */
const LAST_WORDS_MILLISECONDS = 2_000;

/** Runs a command, for instance `pulumi up --yes --skip-preview`. */
export const commandRunner = (options: CommandOptions): Runner => ({
    title: options.words.join(" "),
    start: () => startCommand(options),
});

function startCommand({ words, directory, env, secrets }: CommandOptions): Running {
    const [program = "", ...argv] = words;
    // In a group of its own: a ^C of the terminal reaches us alone, and the command once, from us. A second one would kill it.
    const child = spawn(program, argv, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const last: string[] = [];
    const keep = (line: string): void => {
        if (line.trim() !== "") last.push(line);
        if (last.length > LAST_LINES) last.shift();
    };
    const ends = [child.stdout, child.stderr].map((stream) => passLines(stream, keep));
    const lines = (): readonly string[] => {
        for (const end of ends) end();
        return last.map((line) => cleanText(withoutColours(line), secrets())).filter((line) => line !== "");
    };
    return {
        done: new Promise<RunEnd>((resolve) => {
            child.on("error", (error: NodeJS.ErrnoException) =>
                resolve({ isOk: false, how: `it cannot be started (${error.code ?? "unknown error"})`, lines: [] }),
            );
            child.on("exit", (code, signal) => {
                const end = (): void => {
                    clearTimeout(timer);
                    child.stdout.destroy();
                    child.stderr.destroy();
                    const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
                    resolve({ isOk: code === 0, how, lines: lines() });
                };
                // what it left running in the background may hold its output open forever
                const timer = setTimeout(end, LAST_WORDS_MILLISECONDS);
                child.on("close", end);
            });
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

/** Passes whole lines on: half of a secret would not be recognized as one. Returns what passes on the last, without an end. */
function passLines(stream: Readable, pass: (line: string) => void): () => void {
    let line = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
        const [first = "", ...rest] = chunk.split("\n");
        line = (line + first).slice(0, LONGEST_LINE);
        for (const next of rest) {
            pass(line);
            line = next.slice(0, LONGEST_LINE);
        }
    });
    return () => pass(line);
}

const withoutColours = (line: string): string =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    line.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "");
