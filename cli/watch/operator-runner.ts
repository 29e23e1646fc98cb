import { randomBytes } from "node:crypto";
import type { ClusterAccess } from "../../provider/kube/auth/access";
import { KubeError } from "../../provider/kube/errors/kube-error";
import { cleanText } from "../../provider/kube/errors/redact";
import type { Clock } from "../../provider/kube/http/clock";
import { requestReconciliation, type StackObject } from "../../provider/kube/reconciliation";
import type { RunEnd, Runner } from "./runner";

export interface OperatorOptions {
    readonly stack: StackObject;
    /** The cluster that has the Stack object. */
    readonly access: () => Promise<ClusterAccess>;
    readonly requestTimeoutSeconds: number;
    readonly clock: Clock;
    /** How long the operator may take. */
    readonly waitSeconds?: number;
    readonly onAsked?: () => void;
}

const WAIT_SECONDS = 900;
const POLL_MILLISECONDS = 2_000;

/** Asks the Pulumi Kubernetes Operator for an update and waits until the update for this request has ended. */
export const operatorRunner = (options: OperatorOptions): Runner => ({
    title: `update of the Stack ${options.stack.namespace}/${options.stack.name}`,
    start: () => {
        const stop = new AbortController();
        return { done: update(options, stop.signal), interrupt: () => stop.abort() };
    },
});

async function update(options: OperatorOptions, signal: AbortSignal): Promise<RunEnd> {
    const { stack, access, requestTimeoutSeconds, clock, onAsked } = options;
    const value = `kilo-clustermesh-${randomBytes(8).toString("hex")}`;
    const end = clock.now() + (options.waitSeconds ?? WAIT_SECONDS) * 1000;
    let isAsked = false;
    while (!signal.aborted) {
        try {
            const options = { requestTimeoutSeconds, clock, signal };
            const found = await requestReconciliation(await access(), stack, value, options);
            if (!isAsked) onAsked?.();
            isAsked = true;
            if (found.updatedFor === value) {
                const isOk = found.lastState !== "failed";
                const lines = isOk || found.message === "" ? [] : [cleanText(found.message)];
                return { isOk, how: isOk ? "done" : "the update failed", lines };
            }
        } catch (error) {
            if (signal.aborted) break;
            if (!(error instanceof KubeError)) throw error;
            // once it was asked for, a server that is away for a moment changes nothing
            if (!isAsked || !error.retryable) {
                return { isOk: false, how: "the operator could not be asked", lines: [error.message, error.fix] };
            }
        }
        if (clock.now() >= end)
            return { isOk: false, how: "the operator has not finished an update for it", lines: [] };
        await clock.sleep(POLL_MILLISECONDS, signal);
    }
    return { isOk: true, how: isAsked ? "asked for; the operator goes on by itself" : "not asked for", lines: [] };
}
