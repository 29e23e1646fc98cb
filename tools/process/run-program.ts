import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

export const ROOT = join(__dirname, "..", "..");

const running = new Set<ChildProcess>();

/** Runs a program of this package in front of the user; resolves with its exit code, and says so if it was killed. */
export async function runProgram(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
): Promise<number> {
    const child = spawn(process.execPath, [require.resolve(program), ...args], {
        cwd: ROOT,
        env: { ...process.env, ...env },
        stdio: ["ignore", "inherit", "inherit"],
    });
    running.add(child);
    const code = await new Promise<number>((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", (status, signal) => {
            if (signal !== null) console.error(`${program} was ended from outside by ${signal}`);
            resolve(status ?? 1);
        });
    });
    running.delete(child);
    return code;
}

/** ^C reaches our children by itself; other ways of being ended do not. */
export function endChildrenWithUs(): void {
    for (const [name, code] of [
        ["SIGTERM", 143],
        ["SIGHUP", 129],
        ["SIGINT", 130],
    ] as const) {
        process.once(name, () => {
            for (const child of running) child.kill("SIGTERM");
            process.exit(code);
        });
    }
}
