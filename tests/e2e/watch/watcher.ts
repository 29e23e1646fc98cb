import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { until } from "../support/until";

const PUBLISHED = path.join(__dirname, "../../../dist/cli/main.js");

/** `kilo-clustermesh watch` as it is published, as a process of its own. */
export interface WatchProcess {
    readonly child: ChildProcess;
    readonly pid: number;
    printed(): string;
    /** Waits until it has printed this. */
    says(pattern: RegExp, seconds?: number): Promise<string>;
    readonly done: Promise<number | null>;
    /** SIGTERM, and the exit code. */
    stop(): Promise<number | null>;
}

export function startWatch(
    argv: readonly string[],
    directory: string,
    env: Readonly<Record<string, string | undefined>>,
): WatchProcess {
    const child = spawn(process.execPath, [PUBLISHED, "watch", ...argv], {
        cwd: directory,
        env,
        stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += String(chunk)));
    const done = new Promise<number | null>((resolve) => child.on("close", resolve));
    return {
        child,
        pid: child.pid ?? -1,
        printed: () => text,
        async says(pattern, seconds = 60) {
            const said = await until(
                async () => text,
                (all) => pattern.test(all) || child.exitCode !== null,
                seconds,
            );
            if (!pattern.test(said)) throw new Error(`it does not say ${pattern}: ${said}`);
            return said;
        },
        done,
        async stop() {
            child.kill("SIGTERM");
            return done;
        },
    };
}
