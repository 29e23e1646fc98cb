import * as pulumi from "@pulumi/pulumi";
import { isMocked } from "./mocked";

/**
 * The engine starts the host of our resources when the first of them is registered, which is after the clusters were
 * read; starting it takes as long as reading them. Any call makes the engine start it at once. The host knows no
 * functions, so this one always fails, and nobody waits for it.
 */
export function startProviderHost(): void {
    if (isMocked()) return;
    pulumi.runtime.invoke("pulumi-nodejs:dynamic/kilo-clustermesh:start", {}, {}).catch(() => undefined);
}
