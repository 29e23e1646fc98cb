#!/usr/bin/env node
import { ask } from "./ask";
import { EXIT } from "./exit-codes";
import { survey } from "./init/survey";
import { run } from "./run";
import { look } from "./sight";
import { reach } from "./sweep/reach";

/** The reader of a pipe may leave early (`| head`): that is no failure of ours. */
for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code !== "EPIPE") throw error;
        process.exit(process.exitCode ?? EXIT.healthy);
    });
}

/** What is under way needs no end: `sweep` lists again what it did not delete. The line of progress is taken away. */
process.once("SIGINT", () => {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    process.exit(EXIT.interrupted);
});

const output = (stream: NodeJS.WriteStream) => ({
    write: (text: string): void => void stream.write(text),
    isTTY: stream.isTTY === true,
    columns: stream.isTTY ? stream.columns : undefined,
});

run(process.argv.slice(2), {
    out: output(process.stdout),
    err: output(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    look,
    reach,
    survey,
    ask: process.stdin.isTTY && process.stdout.isTTY ? ask : undefined,
}).then(
    (code) => {
        process.exitCode = code;
    },
    (error: unknown) => {
        process.stderr.write(
            `error: this should not have happened; please report it\n${String((error as Error)?.stack ?? error)}\n`,
        );
        process.exitCode = EXIT.defect;
    },
);
