import type { Fault, FaultProxy, LoggedRequest } from "../../support/fault-proxy";

/** What an API server says in words of its own; everything else about a status is its number. */
const status = (code: number, reason: string, message: string, retryAfter?: string): Fault => ({
    kind: "answer",
    status: code,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    body: { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code },
});

/** Everything that networks and servers do on bad days. */
export const FAULTS: Readonly<Record<string, Fault>> = {
    reset: { kind: "reset" },
    hang: { kind: "hang" },
    cut: { kind: "cut" },
    "hang-body": { kind: "hang-body" },
    "401": status(401, "Unauthorized", "Unauthorized"),
    "403": status(403, "Forbidden", "denied by policy"),
    "404": status(404, "NotFound", "the server could not find the requested resource"),
    "404 page": { kind: "answer", status: 404, body: "404 page not found\n" },
    "409": status(409, "Conflict", "the object has been modified"),
    "422": status(422, "Invalid", "refused by a webhook"),
    "429": status(429, "TooManyRequests", "slow down", "1"),
    "500": status(500, "InternalError", "etcdserver: leader changed"),
    "503": status(503, "ServiceUnavailable", "shutting down"),
    stale: { kind: "stale" },
    drop: { kind: "drop" },
};

/** Faults that cost a whole timeout each: they are tried with a short one. */
export const SLOW: ReadonlySet<string> = new Set(["hang", "hang-body"]);

/** One request of a run: the n-th of its kind to that cluster. */
export interface Place {
    readonly cluster: string;
    readonly what: string;
    readonly nth: number;
}

const describe = ({ method, path, labelSelector }: LoggedRequest): string =>
    `${method} ${path.replace("/apis/kilo.squat.ai/v1alpha1", "")}${labelSelector === undefined ? "" : " (by label)"}`;

/** The requests that a run made, each with its place among its like. */
export function placesOf(cluster: string, requests: readonly LoggedRequest[]): Place[] {
    const seen = new Map<string, number>();
    return requests.map((request) => {
        const what = describe(request);
        const nth = (seen.get(what) ?? 0) + 1;
        seen.set(what, nth);
        return { cluster, what, nth };
    });
}

/** `once`: only there. `always`: there and, as often as it is tried again, until the end of the run. */
export type Stubbornness = "once" | "always";

export function injectAt(proxy: FaultProxy, { what, nth }: Place, fault: Fault, how: Stubbornness): void {
    let seen = 0;
    proxy.inject({
        fault,
        ...(how === "once" ? { times: 1 } : {}),
        when: (request) => describe(request) === what && ++seen >= nth,
    });
}
