import { createRequire } from "node:module";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "../../resources/host";
import { type Line, OrderedLines } from "./ordered-lines";

const PROGRESS_EVERY_MS = 250;

let engine: EngineClient | undefined;

/**
 * `console` and `pulumi.log` of the dynamic host end up on the stack, so the engine is called directly: its address is
 * the host's argument (docs/pulumi.md: log lines land on the stack). gRPC is taken from Pulumi's own dependencies: a
 * second copy could not share channels.
 */
function engineClient(): EngineClient | undefined {
    const address = process.argv[2];
    if (engine === undefined && address !== undefined) {
        const fromPulumi = createRequire(require.resolve("@pulumi/pulumi"));
        const grpc: typeof import("@grpc/grpc-js") = fromPulumi("@grpc/grpc-js");
        engine = new EngineClient(address, grpc.credentials.createInsecure());
    }
    return engine;
}

function send({ kind, message, urn }: Line, done: () => void): void {
    const client = engineClient();
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
}

const lines = new OrderedLines(send);

/** When the engine has heard all: what comes after the result of an operation is not shown any more. */
export const linesDelivered = (): Promise<void> => lines.delivered();

/** Says things on the resource they belong to. */
export function engineReporter(urn = ""): Reporter {
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
}
