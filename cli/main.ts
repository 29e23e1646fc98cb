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

/** A watch ends by itself once it is asked to. What else is under way needs no end: `sweep` lists again what it did not delete. */
let stop: (() => void) | undefined;
for (const [signal, code] of [
    ["SIGINT", EXIT.interrupted],
    ["SIGTERM", EXIT.terminated],
] as const) {
    process.on(signal, () => {
        if (stop !== undefined) return stop();
        // the line of progress is taken away
        if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
        process.exit(code);
    });
}

async function input(): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("utf8");
}

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
    input,
    onStop: (ask) => {
        stop = ask;
    },
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
