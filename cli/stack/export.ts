import { spawn } from "node:child_process";
import { cleanText } from "../../provider/kube/errors/redact";
import { UsageError } from "../failure";

export interface StackPlace {
    readonly stack: string;
    /** Directory of the Pulumi project. */
    readonly directory: string;
    readonly env: Readonly<Record<string, string | undefined>>;
}

const LONGEST_SECONDS = 120;

/** The state of the stack with its secrets, through a pipe: it is never written to a file. Secret! */
export async function exportStack(
    { stack, directory, env }: StackPlace,
    longestSeconds = LONGEST_SECONDS,
): Promise<string> {
    const argv = ["stack", "export", "--show-secrets", "--non-interactive", "--stack", stack];
    const child = spawn("pulumi", argv, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
    const out: Buffer[] = [];
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString("utf8")).slice(-4000);
    });
    const failure = await new Promise<string | undefined>((resolve) => {
        // a backend that never answers must not hold up a watcher forever, nor what a wrapper of pulumi left running
        const timer = setTimeout(() => {
            child.kill("SIGKILL");
            child.stdout.destroy();
            child.stderr.destroy();
            const words = cleanText(said);
            resolve(`pulumi has not ended within ${longestSeconds} s${words === "" ? "" : `, and said: ${words}`}`);
        }, longestSeconds * 1000);
        child.on("error", (error: NodeJS.ErrnoException) => {
            clearTimeout(timer);
            resolve(error.code === "ENOENT" ? "pulumi, or the directory, cannot be found" : String(error.code));
        });
        child.on("close", (code, signal) => {
            clearTimeout(timer);
            const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
            resolve(code === 0 ? undefined : cleanText(said).replace(/^error: /, "") || how);
        });
    });
    if (failure === undefined) return Buffer.concat(out).toString("utf8");
    throw new UsageError(
        `the state of the stack ${stack} cannot be read: ${failure}`,
        "Run it in the directory of the project, or name that with --cwd; `pulumi stack ls` lists its stacks, and `pulumi stack export` must work there",
    );
}
