import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { ProcessIdentity } from "../process/identity";
import { takePossession } from "./possession";

export type ToSupervisor =
    | {
          readonly op: "start";
          readonly id: string;
          readonly command: string;
          readonly args: readonly string[];
          readonly log: string;
      }
    | { readonly op: "stop"; readonly id: string }
    | { readonly op: "check-in"; readonly seconds: number }
    | { readonly op: "keep" }
    | { readonly op: "end" };

export type FromSupervisor =
    | { readonly event: "ready" | "kept" }
    | { readonly event: "started"; readonly id: string; readonly pid: number }
    | { readonly event: "failed"; readonly id: string; readonly message: string }
    | { readonly event: "exit"; readonly id: string; readonly code: number | null; readonly signal: string | null };

/** What is written down about a running set, so that any later process can end it by id. */
export interface RunRecord {
    readonly supervisor: ProcessIdentity;
    readonly directory: string;
    /** True when the set was meant to outlive the process that started it. */
    readonly kept: boolean;
    readonly processes: readonly ProcessIdentity[];
}

/** A server that was started: its process, and how to learn that it has ended. */
export interface Server {
    readonly pid: number;
    /** Resolves with how the process ended. */
    readonly exited: Promise<string>;
}

/** Our end of the pipe to the supervisor process. */
export class Supervision {
    readonly #child: ChildProcess;
    readonly #waiting = new Map<string, { started: (pid: number) => void; failed: (error: Error) => void }>();
    readonly #exits = new Map<string, (how: string) => void>();
    readonly #gone: Promise<void>;
    readonly #signals: Partial<Record<"ready" | "kept", () => void>> = {};

    private constructor(directory: string, record: string) {
        const tsx = pathToFileURL(require.resolve("tsx")).href;
        const args = ["--import", tsx, join(__dirname, "supervisor.ts"), directory, record];
        // Not our stderr: whoever reads that would wait for the supervisor, which may be meant to outlive us.
        const log = openSync(join(directory, "supervisor.log"), "a", 0o600);
        // Its own session: ^C in a terminal reaches us only, and our end is what it waits for.
        this.#child = spawn(process.execPath, args, {
            detached: true,
            stdio: ["pipe", "pipe", log],
            env: { PATH: process.env.PATH, HOME: process.env.HOME },
        });
        closeSync(log);
        this.#gone = new Promise((resolve) => this.#child.once("exit", () => resolve()));
        this.#child.stdin!.on("error", () => undefined);
        createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#receive(JSON.parse(line)));
    }

    static async open(directory: string, record: string): Promise<Supervision> {
        takePossession(directory, record);
        const supervision = new Supervision(directory, record);
        await supervision.#signal("ready");
        return supervision;
    }

    async start(id: string, command: string, args: readonly string[], log: string): Promise<Server> {
        const exited = new Promise<string>((resolve) => this.#exits.set(id, resolve));
        const pid = new Promise<number>((started, failed) => {
            this.#waiting.set(id, { started, failed });
            this.#send({ op: "start", id, command, args, log });
        });
        return { pid: await Promise.race([pid, this.#lost()]), exited };
    }

    stop(id: string): void {
        this.#send({ op: "stop", id });
    }

    /** From now on, as long as there are servers, the agents of their nodes check in. */
    checkIn(seconds: number): void {
        this.#send({ op: "check-in", seconds });
    }

    /** Lets the servers live on without us. */
    async keep(): Promise<void> {
        const kept = this.#signal("kept");
        this.#send({ op: "keep" });
        await kept;
        this.#child.stdin!.destroy();
        this.#child.stdout!.destroy();
        this.#child.unref();
    }

    /** Ends every server, removes the directory, and returns when all of that is done. */
    async end(): Promise<void> {
        this.#send({ op: "end" });
        this.#child.stdin!.end();
        await this.#gone;
    }

    async #signal(name: "ready" | "kept"): Promise<void> {
        const told = new Promise<void>((resolve) => {
            this.#signals[name] = resolve;
        });
        await Promise.race([told, this.#lost()]);
    }

    async #lost(): Promise<never> {
        await this.#gone;
        throw new Error("The supervisor of the local clusters was ended by someone else; start them again");
    }

    #send(message: ToSupervisor): void {
        this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
    }

    #receive(message: FromSupervisor): void {
        if (message.event === "started") this.#waiting.get(message.id)?.started(message.pid);
        else if (message.event === "failed") this.#waiting.get(message.id)?.failed(new Error(message.message));
        else if (message.event === "exit") this.#exits.get(message.id)?.(message.signal ?? `exit code ${message.code}`);
        else this.#signals[message.event]?.();
    }
}
