import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { identify, isAlive, type ProcessIdentity, signal } from "../process/identity";
import { ROOT } from "../process/run-program";
import { pulumiEnvironment } from "../pulumi/environment";
import type { Toolchain } from "../toolchain";
import { PACKAGES, PULUMI, RUNNING } from "./places";

export const STACK = "local";
const STOP_LIMIT_MS = 60_000;

/** The environment in which `pulumi` at the root works on the quick start's own state. */
export function quickstartEnvironment(tools: Toolchain): Record<string, string> {
    const environment = pulumiEnvironment(tools, PULUMI);
    return {
        ...environment,
        // Last, so that a kubectl of one's own stays the one that is used.
        PATH: `${environment.PATH}${delimiter}${dirname(tools.kubectl)}`,
        NODE_PATH: PACKAGES,
        // `npm run types` checks the program; checking it again at every run costs seconds.
        PULUMI_NODEJS_TRANSPILE_ONLY: "true",
        PULUMI_STACK: STACK,
    };
}

/** A real `pulumi up` of the program at the root. */
export async function up(tools: Toolchain): Promise<void> {
    await prepare(tools);
    await pulumi(tools, ["up", "--yes", "--skip-preview"]);
}

export async function destroy(tools: Toolchain): Promise<void> {
    await prepare(tools);
    await pulumi(tools, ["destroy", "--yes", "--skip-preview"]);
}

/**
 * A killed run may have left a pulumi process at work and its lock on the stack. The process is ended first, so that
 * nobody holds the lock when it is removed.
 */
async function prepare(tools: Toolchain): Promise<void> {
    await endLeftBehind();
    await pulumi(tools, ["stack", "select", "--create", STACK], "quiet");
    await pulumi(tools, ["cancel", "--yes"], "quiet");
}

/** Ends what a killed run left at work: pulumi, or the watcher, which ends its own pulumi. */
export async function endLeftBehind(): Promise<void> {
    const left = leftBehind();
    if (left === undefined) return;
    const limit = Date.now() + STOP_LIMIT_MS;
    signal(left, "SIGINT");
    while (isAlive(left) && Date.now() < limit) await sleep(100);
    signal(left, "SIGKILL");
}

/** So that the next run ends this process if this run cannot; returns what is called when it has ended. */
export function recordRunning(pid: number | undefined): () => void {
    const identity = pid === undefined ? undefined : identify(pid);
    if (identity !== undefined) writeFileSync(RUNNING, JSON.stringify(identity));
    return () => rmSync(RUNNING, { force: true });
}

function leftBehind(): ProcessIdentity | undefined {
    try {
        return JSON.parse(readFileSync(RUNNING, "utf8")) as ProcessIdentity;
    } catch {
        return undefined;
    }
}

async function pulumi(tools: Toolchain, args: readonly string[], output?: "quiet"): Promise<void> {
    const child = spawn(tools.pulumi, [...args, "--non-interactive"], {
        cwd: ROOT,
        env: { ...quickstartEnvironment(tools), ...terminal() },
        stdio: ["ignore", output === "quiet" ? "pipe" : "inherit", output === "quiet" ? "pipe" : "inherit"],
    });
    const forget = recordRunning(child.pid);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
        });
    }
    const code = await new Promise<number | null>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", resolve);
    });
    forget();
    if (code !== 0) throw new Error(`pulumi ${args[0]} failed${text === "" ? "; see above" : `:\n${text}`}`);
}

/** What the colours depend on. */
function terminal(): Record<string, string> {
    const { TERM, NO_COLOR } = process.env;
    return { ...(TERM === undefined ? {} : { TERM }), ...(NO_COLOR === undefined ? {} : { NO_COLOR }) };
}
