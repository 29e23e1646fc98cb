import * as pulumi from "@pulumi/pulumi";
import { isServedByPlugin } from "../child-types";
import { isMocked } from "./mocked";

/**
 * The engine starts the host of our resources when the first of them is registered, which is after the clusters were
 * read; starting it takes as long as reading them. Any call makes the engine start it at once. The host knows no
 * functions, so this one always fails, and nobody waits for it. In the plugin the host is there already.
 */
export function startProviderHost(): void {
    if (isMocked() || isServedByPlugin()) return;
    pulumi.runtime.invoke("pulumi-nodejs:dynamic/kilo-clustermesh:start", {}, {}).catch(() => undefined);
}
