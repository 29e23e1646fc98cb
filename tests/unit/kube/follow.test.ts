import type { IncomingMessage, ServerResponse } from "node:http";
import type { KubeNode } from "../../../provider/kilo/types";
import { KubeError } from "../../../provider/kube/errors/kube-error";
import type { Followed } from "../../../provider/kube/follow";
import { type ClusterWatch, watchCluster } from "../../../provider/kube/watch-client";
import { startScriptedServer } from "../../support/scripted-server";

jest.setTimeout(60_000);

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
    for (const each of cleanUp.splice(0).reverse()) await each();
});

const node = (name: string, version: string) => ({ metadata: { name, resourceVersion: version } });
const list = (names: readonly string[], version: string): string =>
    JSON.stringify({
        kind: "NodeList",
        metadata: { resourceVersion: version },
        items: names.map((name) => node(name, version)),
    });
const event = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

interface Heard {
    readonly events: Followed<KubeNode>[];
    /** Addresses of the watches, in their order. */
    readonly asked: URL[];
    /** How it ended. */
    readonly end: Promise<unknown>;
    until(isEnough: (texts: readonly string[]) => boolean): Promise<readonly string[]>;
}

const textOf = (heard: Followed<KubeNode>): string => {
    if (heard.kind === "listed") return `listed ${heard.items.map(({ metadata }) => metadata?.name).join()}`;
    return heard.kind === "put" || heard.kind === "gone" ? `${heard.kind} ${heard.item.metadata?.name}` : heard.kind;
};

/** Follows nodes of a server whose n-th watch does what the n-th script says; the last script repeats. */
async function followed(
    lists: readonly string[],
    ...watches: readonly ((response: ServerResponse, request: IncomingMessage) => void)[]
): Promise<Heard> {
    const asked: URL[] = [];
    let listed = 0;
    const server = await startScriptedServer((request, response) => {
        const url = new URL(request.url ?? "", "http://server");
        if (!url.searchParams.has("watch")) {
            response.writeHead(200, { "content-type": "application/json" });
            return void response.end(lists[Math.min(listed++, lists.length - 1)]);
        }
        asked.push(url);
        watches[Math.min(asked.length, watches.length) - 1]!(response, request);
    });
    cleanUp.push(() => server.close());
    const watch: ClusterWatch = await watchCluster(
        { cluster: "edge", kubeconfig: server.kubeconfig },
        {
            retries: "brief",
            requestTimeoutSeconds: 5,
            timing: { silenceSeconds: 0.5, pauseSeconds: 0.02, pollSeconds: 0.02 },
        },
    );
    const stop = new AbortController();
    const events: Followed<KubeNode>[] = [];
    const end = watch
        .followNodes({ signal: stop.signal, onEvent: (each) => events.push(each) })
        .catch((error: unknown) => error);
    cleanUp.push(async () => {
        stop.abort();
        await end;
        await watch.close();
    });
    return {
        events,
        asked,
        end,
        async until(isEnough) {
            for (let round = 0; round < 500 && !isEnough(events.map(textOf)); round++) {
                await new Promise((resolve) => setTimeout(resolve, 10));
            }
            return events.map(textOf);
        },
    };
}

const open = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
};

const staysOpen = (response: ServerResponse): void => {
    open(response);
    const beat = setInterval(() => response.write(event("BOOKMARK", node("", "99"))), 100);
    response.on("close", () => clearInterval(beat));
};

test("a list and the changes after it are heard, also those that arrive in pieces", async () => {
    const { until } = await followed([list(["a"], "5")], (response) => {
        open(response);
        const text = event("ADDED", node("ä", "6")) + event("DELETED", node("a", "7"));
        const bytes = Buffer.from(text);
        const middle = bytes.indexOf("ä") + 1;
        response.write(bytes.subarray(0, middle));
        setTimeout(() => response.write(bytes.subarray(middle)), 30);
    });
    const heard = await until((texts) => texts.includes("gone a"));
    expect(heard.filter((text) => text !== "alive")).toEqual(["listed a", "put ä", "gone a"]);
});

test("a stream that the server ends goes on where it ended, by bookmarks too, and nothing is listed again", async () => {
    const { until, asked, events } = await followed(
        [list(["a"], "5")],
        (response) => {
            open(response);
            response.end(event("MODIFIED", node("a", "8")) + event("BOOKMARK", node("", "12")));
        },
        staysOpen,
    );
    await until(() => asked.length >= 2);
    expect(asked.map((url) => url.searchParams.get("resourceVersion")).slice(0, 2)).toEqual(["5", "12"]);
    expect(asked.every((url) => url.searchParams.get("allowWatchBookmarks") === "true")).toBe(true);
    expect(events.filter(({ kind }) => kind === "listed")).toHaveLength(1);
});

test.each([
    [
        "an answer",
        (response: ServerResponse) => response.writeHead(410).end(JSON.stringify({ kind: "Status", code: 410 })),
    ],
    [
        "an event",
        (response: ServerResponse) => {
            open(response);
            response.write(event("ERROR", { kind: "Status", code: 410, reason: "Expired" }));
        },
    ],
])("a version that the server has forgotten, said by %s, is listed again", async (_, forget) => {
    const { until, asked } = await followed([list(["a"], "5"), list(["b"], "900")], forget, staysOpen);
    const heard = await until((texts) => texts.includes("listed b") && asked.length >= 2);
    expect(heard.filter((text) => text !== "alive").slice(0, 2)).toEqual(["listed a", "listed b"]);
    expect(asked[1]?.searchParams.get("resourceVersion")).toBe("900");
});

test.each([
    ["reset", (response: ServerResponse) => response.socket?.resetAndDestroy()],
    ["ended", (response: ServerResponse) => response.end()],
])(
    "a connection that is %s in the middle of an event is a failure, and the half of it is not heard",
    async (_, cut) => {
        const { end, events } = await followed([list(["a"], "5")], (response) => {
            open(response);
            response.write(event("ADDED", node("half", "6")).slice(0, 30));
            setTimeout(() => cut(response), 30);
        });
        expect(await end).toMatchObject({ kind: "unreachable", network: "reset" });
        expect(events.map(textOf)).not.toContain("put half");
    },
);

test("a server that says nothing for longer than it may is a failure", async () => {
    const { end } = await followed([list(["a"], "5")], open);
    expect(await end).toMatchObject({ kind: "unreachable", network: "timeout" });
});

test("an account that may list and not watch is heard by lists", async () => {
    const forbidden = (response: ServerResponse): void =>
        void response.writeHead(403).end(JSON.stringify({ kind: "Status", code: 403, reason: "Forbidden" }));
    const { until, events } = await followed([list(["a"], "5"), list(["b"], "6")], forbidden);
    const heard = await until((texts) => texts.includes("listed b"));
    expect(heard.slice(0, 3)).toEqual(["listed a", "unwatchable", "listed b"]);
    const told = events.find((each) => each.kind === "unwatchable");
    expect(told?.kind === "unwatchable" && told.error.message).toContain("could not watch nodes");
});

test("what is no event is a failure that repeats nothing of it", async () => {
    const { end } = await followed([list(["a"], "5")], (response) => {
        open(response);
        response.write("very-secret-line\n");
    });
    const error = await end;
    expect(error).toBeInstanceOf(KubeError);
    expect((error as KubeError).message).not.toContain("secret");
});
