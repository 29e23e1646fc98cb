import { createRequire } from "node:module";
import type { dynamic } from "@pulumi/pulumi";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { Props } from "../../resources/host";
import { endOnBrokenPipes } from "../shared/broken-pipes";
import { endWithEngine } from "../shared/end-with-engine";
import { engineReporter } from "../shared/engine-reporter";
import { kindOf } from "../shared/kinds";
import { machineHost } from "../shared/machine-host";

/**
 * The dynamic-provider interface of Pulumi over our resources. Users' state refers to this module forever as
 * `pulumi-kilo-clustermesh/provider`: it must stay where it is and keep reading old state (`schemaVersion`). One module
 * serves all resources and the engine does not say which is meant, so the inputs do.
 */

/** The engine's address is the argument of Pulumi's host. */
const ENGINE = process.argv[2];

let engine: EngineClient | undefined;

/** gRPC is taken from Pulumi's own dependencies: a second copy could not share channels. */
function engineClient(): EngineClient | undefined {
    if (engine === undefined && ENGINE !== undefined) {
        const fromPulumi = createRequire(require.resolve("@pulumi/pulumi"));
        const grpc: typeof import("@grpc/grpc-js") = fromPulumi("@grpc/grpc-js");
        engine = new EngineClient(ENGINE, grpc.credentials.createInsecure());
    }
    return engine;
}

const { reporter, delivered } = engineReporter(engineClient);
const host = machineHost(reporter);

// Only where Pulumi's host has loaded us: a user's unit test may import this module too.
if (process.argv[1]?.includes("dynamic-provider")) {
    endOnBrokenPipes();
    if (ENGINE !== undefined) endWithEngine(ENGINE);
}

/**
 * The host prints stacks of errors next to the message; they help nobody who reads a deployment log. What was said on the
 * way is shown before the result.
 */
async function quietly<T>(work: () => T | Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        if (error instanceof Error) error.stack = "";
        throw error;
    } finally {
        await delivered();
    }
}

export const check = (olds: Props, news: Props): Promise<dynamic.CheckResult> =>
    quietly(() => {
        const { inputs, failures } = kindOf(news).check(host, olds, news);
        return { inputs, failures: [...failures] };
    });

/** State that the plugin wrote names no handler, and Pulumi's host can neither read nor delete without one. */
const isOfPlugin = (olds: Props): boolean => olds.__provider === undefined;

export const diff = (_id: string, olds: Props, news: Props): Promise<dynamic.DiffResult> =>
    quietly(() => (isOfPlugin(olds) ? { changes: true } : kindOf(news).diff(olds, news)));

export const create = (inputs: Props): Promise<dynamic.CreateResult> =>
    quietly(() => kindOf(inputs).create(host, inputs));

export const read = (id: string, outs: Props): Promise<dynamic.ReadResult> =>
    quietly(() => kindOf(outs).read(host, id, outs));

export const update = (id: string, olds: Props, news: Props): Promise<dynamic.UpdateResult> =>
    quietly(() => kindOf(news).update(host, id, olds, news));

const remove = (id: string, outs: Props): Promise<void> => quietly(() => kindOf(outs).delete(host, id, outs));

export { remove as delete };
