import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./ports";
import type { Server, Supervision } from "./supervision";

export interface ServerPlan {
    readonly id: string;
    readonly command: string;
    readonly log: string;
    readonly args: (port: number) => Promise<readonly string[]>;
    /** True once the server answers. May throw while it does not. */
    readonly ready: (port: number) => Promise<boolean>;
}

/** A few seconds are usual; a machine with many times more to do than cores has needed over a minute. */
const READY_LIMIT_MS = 240_000;
const PORT_ATTEMPTS = 5;

/** Starts a server on a free port, on another one if somebody was quicker to take it. */
export async function startOnFreePort(
    supervision: Supervision,
    plan: ServerPlan,
    choosePort: () => Promise<number> = freePort,
): Promise<{ readonly port: number; readonly server: Server }> {
    for (let attempt = 1; ; attempt++) {
        const port = await choosePort();
        try {
            return { port, server: await startOn(supervision, plan, port) };
        } catch (error) {
            if (!(error instanceof PortTaken) || attempt === PORT_ATTEMPTS) throw error;
        }
    }
}

/** Starts a server on this port and waits until it answers. */
export async function startOn(supervision: Supervision, plan: ServerPlan, port: number): Promise<Server> {
    const server = await supervision.start(plan.id, plan.command, await plan.args(port), plan.log);
    let ended: string | undefined;
    void server.exited.then((how) => {
        ended = how;
    });
    for (const limit = Date.now() + READY_LIMIT_MS; ; await sleep(50)) {
        if (ended !== undefined) throw startFailure(plan, port, `ended with ${ended}`);
        // Whoever sits on a taken port may accept our question and never answer it.
        const ready = await Promise.race([plan.ready(port).catch(() => false), server.exited.then(() => false)]);
        if (ready) return server;
        if (Date.now() < limit) continue;
        supervision.stop(plan.id);
        throw startFailure(plan, port, `did not answer within ${READY_LIMIT_MS / 1000} s`);
    }
}

export class PortTaken extends Error {
    override readonly name = "PortTaken";
}

function startFailure({ id, log }: ServerPlan, port: number, how: string): Error {
    const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").slice(-8).join("\n") : "";
    if (/address already in use/i.test(lines)) {
        return new PortTaken(`Port ${port} on 127.0.0.1, needed by ${id}, is in use by another process`);
    }
    return new Error(`${id} ${how}. The end of its log (${log}):\n${lines}`);
}
