import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "../../resources/host";
import { type Line, OrderedLines } from "./ordered-lines";

const PROGRESS_EVERY_MS = 250;

export interface EngineReporter {
    /** Says things on the resource they belong to. */
    readonly reporter: (urn?: string) => Reporter;
    /** When the engine has heard all: what comes after the result of an operation is not shown any more. */
    readonly delivered: () => Promise<void>;
}

/** What a host prints is hidden or ends up on the stack, so the engine is called directly (docs/pulumi.md: log lines land on the stack). */
export function engineReporter(engine: () => EngineClient | undefined): EngineReporter {
    const send = ({ kind, message, urn }: Line, done: () => void): void => {
        const client = engine();
        if (client === undefined) {
            done();
            return;
        }
        const request = new LogRequest();
        request.setSeverity(kind === "warning" ? LogSeverity.WARNING : LogSeverity.INFO);
        request.setMessage(message);
        request.setUrn(urn);
        request.setEphemeral(kind === "progress");
        // Losing a line of log must not fail an operation.
        client.log(request, () => done());
    };
    const lines = new OrderedLines(send);
    return {
        delivered: () => lines.delivered(),
        reporter: (urn = "") => {
            let lastProgress = 0;
            return {
                warn: (message) => lines.add({ kind: "warning", message, urn }),
                progress: (message, last) => {
                    const now = Date.now();
                    if (!last && now - lastProgress < PROGRESS_EVERY_MS) return;
                    lastProgress = now;
                    lines.add({ kind: "progress", message, urn });
                },
            };
        },
    };
}
