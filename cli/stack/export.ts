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
export async function exportStack({ stack, directory, env }: StackPlace): Promise<string> {
    const argv = ["stack", "export", "--show-secrets", "--non-interactive", "--stack", stack];
    // a backend that never answers must not hold up a watcher forever
    const timeout = LONGEST_SECONDS * 1000;
    const child = spawn("pulumi", argv, { cwd: directory, env, timeout, stdio: ["ignore", "pipe", "pipe"] });
    const out: Buffer[] = [];
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString("utf8")).slice(-4000);
    });
    const failure = await new Promise<string | undefined>((resolve) => {
        child.on("error", (error: NodeJS.ErrnoException) =>
            resolve(error.code === "ENOENT" ? "pulumi, or the directory, cannot be found" : String(error.code)),
        );
        child.on("close", (code, signal) => {
            const how = signal === null ? `exit code ${code}` : `ended by ${signal} within ${LONGEST_SECONDS} s`;
            resolve(code === 0 ? undefined : cleanText(said) || how);
        });
    });
    if (failure === undefined) return Buffer.concat(out).toString("utf8");
    throw new UsageError(
        `the state of the stack ${stack} cannot be read: ${failure}`,
        "Run it in the directory of the project, or name that with --cwd; `pulumi stack export` must work there",
    );
}
