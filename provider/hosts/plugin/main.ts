import { readFileSync } from "node:fs";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { endOnBrokenPipes } from "../shared/broken-pipes";
import { endWithEngine } from "../shared/end-with-engine";
import { engineReporter } from "../shared/engine-reporter";
import { machineHost } from "../shared/machine-host";
import { engineAddress } from "./engine-address";
import { useFastText } from "./fast-text";
import { listen, pluginServer } from "./server";

/** `pulumi-resource-kilo-clustermesh <address of the engine>`: prints its port and serves until the engine is gone. */
async function main(): Promise<void> {
    let address: string | undefined;
    let engine: EngineClient | undefined;
    const attach = (found: string): void => {
        address = found;
        engine = new EngineClient(found, credentials.createInsecure());
        endWithEngine(found);
    };
    useFastText();
    endOnBrokenPipes();
    const given = engineAddress(process.argv.slice(2));
    if (given !== undefined) attach(given);
    const schema = (): string => readFileSync(join(__dirname, "schema.json"), "utf8");
    const { reporter, delivered } = engineReporter(() => engine);
    const server = pluginServer({
        version: PLUGIN_VERSION,
        schema,
        host: machineHost(reporter),
        delivered,
        attach,
        construct: (request) => {
            const { construct }: typeof import("./construct") = require("./construct");
            return construct(request, address ?? "");
        },
    });
    process.stdout.write(`${await listen(server)}\n`);
}

/** Put in by the build (tools/plugin/build.ts). */
declare const PLUGIN_VERSION: string;

main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
});
