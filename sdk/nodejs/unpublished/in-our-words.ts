import * as pulumi from "@pulumi/pulumi";

/**
 * An error that is reported as it is written. The SDK prefixes the message of whatever a property rejects with by the name
 * of that property, and users never saw a property of that name.
 */
export function inOurWords(message: string, resource: pulumi.Resource): Error {
    const error = new pulumi.ResourceError(message, resource, true);
    return Object.defineProperty(error, "message", { get: () => message, set: () => undefined });
}
