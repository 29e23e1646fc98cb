import { isFree } from "./ports";
import { PortTaken, type ServerPlan, startOn } from "./server";
import type { Server, Supervision } from "./supervision";

/** A server that can be taken down, brought back and frozen. */
export interface ServerLife {
    readonly pid: number;
    /** Ends it in good order; the data stay. */
    stop(): Promise<void>;
    /** Ends it at once with SIGKILL, as a crash does. */
    kill(): Promise<void>;
    /** Starts it again: same address, same data, same credentials. */
    start(): Promise<void>;
    /** Freezes the process: connections are accepted, nothing is answered. */
    suspend(): void;
    resume(): void;
}

export function serverLife(supervision: Supervision, plan: ServerPlan, port: number, first: Server): ServerLife {
    let server: Server | undefined = first;
    const running = (): Server => {
        if (server === undefined) throw new Error(`${plan.id} is stopped: call start() first`);
        return server;
    };
    const ended = async (end: (running: Server) => void): Promise<void> => {
        if (server === undefined) return;
        end(server);
        await server.exited;
        server = undefined;
    };
    return {
        get pid() {
            return running().pid;
        },
        stop: () => ended(() => supervision.stop(plan.id)),
        kill: () => ended(({ pid }) => process.kill(pid, "SIGKILL")),
        async start() {
            if (server !== undefined) return;
            if (!(await isFree(port))) {
                throw new PortTaken(
                    `${plan.id} cannot come back: its port ${port} on 127.0.0.1 was taken by another process meanwhile`,
                );
            }
            server = await startOn(supervision, plan, port);
        },
        suspend: () => void process.kill(running().pid, "SIGSTOP"),
        resume: () => void process.kill(running().pid, "SIGCONT"),
    };
}
