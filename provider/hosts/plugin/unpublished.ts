import type { Inputs, Resource } from "@pulumi/pulumi";
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";

/**
 * Parts of Pulumi's SDK that its own provider server uses and that are not in its published types. The plugin is built
 * with one version of the SDK, so they change only when we take another one.
 */
interface Settings {
    awaitFeatureSupport(): Promise<void>;
    waitForRPCs(): Promise<void>;
}

interface ProviderServer {
    deserializeInputs(
        inputs: ReturnType<ConstructRequest["getInputs"]>,
        dependencies: ReturnType<ConstructRequest["getInputdependenciesMap"]>,
    ): Promise<Inputs>;
}

const settings: Settings = require("@pulumi/pulumi/runtime/settings");
const server: ProviderServer = require("@pulumi/pulumi/provider/server");

/** Asks the engine what it can do; what is sent to it depends on that. */
export const { awaitFeatureSupport, waitForRPCs } = settings;
/** Arguments as a program would have given them, with Outputs for what is secret, unknown or depends on something. */
export const { deserializeInputs } = server;

/** The URN as it will be, without waiting for more than its registration. */
export const urnOf = (resource: Resource): Promise<string> =>
    (resource.urn as unknown as { promise(): Promise<string> }).promise();
