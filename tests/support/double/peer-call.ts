import type { PeerStore } from "./peer-store";
import { ApiStatus, badRequest } from "./status";

/** One call to the Peers of a cluster but for lists. */
export function peerCall(
    peers: PeerStore,
    verb: string,
    name: string | undefined,
    query: URLSearchParams,
    text: string,
    contentType: string | undefined,
): { status: number; body: unknown } {
    const strict = query.get("fieldValidation") === "Strict";
    const dryRun = query.get("dryRun");
    if (dryRun !== null && (dryRun !== "All" || verb !== "create")) {
        throw badRequest("the double knows dry runs of creates only, with dryRun=All");
    }
    if (name === undefined) {
        if (verb !== "create") throw new ApiStatus(405, "MethodNotAllowed", "the server does not allow this method");
        return { status: 201, body: peers.create(parse(text), strict, dryRun !== null) };
    }
    if (verb === "get") return { status: 200, body: peers.get(name) };
    if (verb === "patch") {
        if (contentType !== "application/merge-patch+json") {
            throw new ApiStatus(415, "UnsupportedMediaType", "the body of the request was in an unknown format");
        }
        return { status: 200, body: peers.patch(name, parse(text), strict) };
    }
    const options = text === "" ? {} : (parse(text) as { preconditions?: { uid?: unknown } });
    const deleted = peers.delete(name, options.preconditions);
    // What waits for finalizers is shown as it now is; what is gone, as a success.
    if (deleted.metadata.deletionTimestamp !== undefined) return { status: 200, body: deleted };
    const details = { name, group: "kilo.squat.ai", kind: "peers", uid: deleted.metadata.uid };
    return { status: 200, body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details } };
}

function parse(text: string): Record<string, unknown> {
    try {
        return JSON.parse(text) as Record<string, unknown>;
    } catch {
        throw badRequest("the body of the request is not JSON");
    }
}
