import { fork } from "node:child_process";
import { join } from "node:path";
import type { Answers, Order } from "./doubles-process";

/** The process that has the doubles, from outside. It ends with us. */
export interface Doubles {
    ask<A extends Order["act"]>(order: Extract<Order, { readonly act: A }>): Promise<Answers[A]>;
    close(): Promise<void>;
}

interface Reply {
    readonly id: number;
    readonly value?: unknown;
    readonly error?: string;
}

export function forkDoubles(): Doubles {
    const child = fork(join(__dirname, "doubles-process.ts"), { execArgv: ["--import", "tsx"] });
    const waiting = new Map<number, (reply: Reply) => void>();
    let last = 0;
    child.on("message", (reply: Reply) => {
        waiting.get(reply.id)?.(reply);
        waiting.delete(reply.id);
    });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    void ended.then(() => {
        for (const [id, answer] of waiting) answer({ id, error: "the process of the doubles has ended" });
    });
    return {
        ask: (order) =>
            new Promise((resolve, reject) => {
                if (!child.connected) throw new Error("the process of the doubles has ended");
                const id = ++last;
                waiting.set(id, ({ value, error }) =>
                    error === undefined ? resolve(value as Answers[typeof order.act]) : reject(new Error(error)),
                );
                child.send({ id, order });
            }),
        async close() {
            if (child.connected) child.disconnect();
            await ended;
        },
    };
}
