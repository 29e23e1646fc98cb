import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { freePort } from "../../../tools/clusters/ports";

/** `kilo-clustermesh watch` of the package that was built for this run. */
export interface WatchProcess {
    readonly pid: number;
    /** Every run that it has started so far: when it said so, by `performance.now()`. */
    readonly runs: readonly number[];
    /** Once every member was heard of, nothing is left to do and no run is under way. */
    idle(): Promise<void>;
    stop(): Promise<void>;
}

export interface WatchOptions {
    readonly package: string;
    readonly directory: string;
    readonly env: Readonly<Record<string, string>>;
    readonly argv: readonly string[];
    /** What it runs; none with an operator. */
    readonly command?: readonly string[];
}

/** As it has it by default. */
export const QUIET_MS = 1_000;
const LONGEST_WAIT_MS = 120_000;

export async function startWatch({
    package: built,
    directory,
    env,
    argv,
    command,
}: WatchOptions): Promise<WatchProcess> {
    const port = await freePort();
    const program = [join(built, "dist/cli/main.js"), "watch", `--listen=127.0.0.1:${port}`, ...argv];
    const child = spawn(process.execPath, [...program, ...(command === undefined ? [] : ["--", ...command])], {
        cwd: directory,
        env,
        stdio: ["ignore", "pipe", "pipe"],
    });
    const closed = once(child, "close");
    const runs: number[] = [];
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
            said = (said + text).slice(-20_000);
            for (const _ of text.matchAll(/ run: /g)) runs.push(performance.now());
        });
    }
    const isIdle = async (): Promise<boolean> => {
        if (child.exitCode !== null) throw new Error(`the watch ended with ${child.exitCode}:\n${said}`);
        const ask = async (path: string) => (await request(`http://127.0.0.1:${port}${path}`)).body.text();
        try {
            if ((await ask("/readyz")) !== "ok\n") return false;
            const metrics = await ask("/metrics");
            return ["behind_seconds", "run_in_progress"].every((name) =>
                new RegExp(`^kilo_clustermesh_${name}\\{.*\\} 0$`, "m").test(metrics),
            );
        } catch {
            // it does not listen yet
            return false;
        }
    };
    return {
        pid: child.pid ?? -1,
        runs,
        async idle() {
            for (const end = performance.now() + LONGEST_WAIT_MS; !(await isIdle()); await sleep(50)) {
                if (performance.now() > end) throw new Error(`the watch does not come to rest:\n${said}`);
            }
        },
        async stop() {
            child.kill("SIGTERM");
            await closed;
        },
    };
}
