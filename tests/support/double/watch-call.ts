import type { ServerResponse } from "node:http";
import { parseSelector } from "./label-selector";
import { ApiStatus } from "./status";
import type { Change, Watched, WatchLog } from "./watch-log";

export interface WatchSource<T extends Watched> {
    readonly apiVersion: string;
    readonly kind: string;
    readonly log: WatchLog<T>;
    all(): readonly T[];
    version(): string;
}

export const isWatch = (query: URLSearchParams): boolean => ["1", "true"].includes(query.get("watch") ?? "");

/** Answers a watch: one event per line until the client goes, the asked time is over, or the double ends it. */
export function watchCall<T extends Watched>(
    response: ServerResponse,
    source: WatchSource<T>,
    query: URLSearchParams,
): void {
    const { apiVersion, kind, log } = source;
    const chosen = parseSelector(query.get("labelSelector") ?? "");
    const bookmarks = query.get("allowWatchBookmarks") === "true";
    const write = (type: string, object: unknown): void => void response.write(`${JSON.stringify({ type, object })}\n`);
    const send = (change: Change<T>): void => {
        const type = typeFor(change, chosen);
        if (type !== undefined) write(type, { apiVersion, kind, ...change.object });
    };
    const bookmark = (): void => {
        if (bookmarks) write("BOOKMARK", { apiVersion, kind, metadata: { resourceVersion: source.version() } });
    };
    const from = query.get("resourceVersion") ?? "";
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    try {
        // Without a version the watch begins with what is there.
        const first = ["", "0"].includes(from) ? source.all().map(added) : log.since(Number(from));
        for (const change of first) send(change);
    } catch (error) {
        if (!(error instanceof ApiStatus)) throw error;
        // A watch that has begun cannot fail with a status any more: a real server sends the failure as an event.
        write("ERROR", error.body());
        response.end();
        return;
    }
    const unsubscribe = log.subscribe({
        change: send,
        bookmark,
        end: (how) => void (how === "reset" ? response.socket?.resetAndDestroy() : response.end()),
    });
    const seconds = Number(query.get("timeoutSeconds") ?? 0);
    const timer = setTimeout(() => response.end(), seconds > 0 ? seconds * 1000 : ONE_HOUR_MS);
    response.once("close", () => {
        clearTimeout(timer);
        unsubscribe();
    });
}

const ONE_HOUR_MS = 3_600_000;

const added = <T>(object: T): Change<T> => ({ type: "ADDED", object });

/** To who watches by label, an object that gets the label appears and one that loses it goes. */
function typeFor<T extends Watched>(
    { type, object, former }: Change<T>,
    chosen: ReturnType<typeof parseSelector>,
): Change<T>["type"] | undefined {
    const [is, was] = [chosen(object.metadata.labels), former !== undefined && chosen(former.metadata.labels)];
    if (type === "DELETED") return is || was ? "DELETED" : undefined;
    if (is) return was ? "MODIFIED" : "ADDED";
    return was ? "DELETED" : undefined;
}
