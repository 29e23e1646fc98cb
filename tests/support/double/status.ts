/** An answer of the API that is not a success, in the words of a real API server. */
export class ApiStatus extends Error {
    constructor(
        readonly code: number,
        readonly reason: string,
        message: string,
        readonly details: Readonly<Record<string, unknown>> = {},
        readonly headers: Readonly<Record<string, string>> = {},
    ) {
        super(message);
    }

    body(): Record<string, unknown> {
        return {
            kind: "Status",
            apiVersion: "v1",
            metadata: {},
            status: "Failure",
            message: this.message,
            reason: this.reason,
            details: this.details,
            code: this.code,
        };
    }
}

const GROUP = "kilo.squat.ai";

export const notFound = (name: string): ApiStatus =>
    new ApiStatus(404, "NotFound", `peers.${GROUP} "${name}" not found`, { name, group: GROUP, kind: "peers" });

export const alreadyExists = (name: string): ApiStatus =>
    new ApiStatus(409, "AlreadyExists", `peers.${GROUP} "${name}" already exists`, {
        name,
        group: GROUP,
        kind: "peers",
    });

export const conflict = (name: string, what: string): ApiStatus =>
    new ApiStatus(409, "Conflict", `Operation cannot be fulfilled on peers.${GROUP} "${name}": ${what}`, {
        name,
        group: GROUP,
        kind: "peers",
    });

export interface Cause {
    readonly reason: string;
    readonly field: string;
    readonly message: string;
}

export function invalid(name: string, causes: readonly Cause[]): ApiStatus {
    const list = causes.map(({ field, message }) => `${field}: ${message}`);
    const what = list.length === 1 ? list[0] : `[${list.join(", ")}]`;
    return new ApiStatus(422, "Invalid", `Peer.${GROUP} "${name}" is invalid: ${what}`, {
        name,
        group: GROUP,
        kind: "Peer",
        causes,
    });
}

export const badRequest = (message: string): ApiStatus => new ApiStatus(400, "BadRequest", message);

export const expired = (): ApiStatus =>
    new ApiStatus(410, "Expired", "The provided continue parameter is too old to display a consistent list result.");

/** What a watch from a version is told whose next changes are not at hand any more. */
export const tooOld = (asked: number, oldest: number): ApiStatus =>
    new ApiStatus(410, "Expired", `too old resource version: ${asked} (${oldest})`);
