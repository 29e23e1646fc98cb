import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { type ClientOptions, type KubeClient, openCluster } from "../../../provider/kube/client";
import type { KubeError } from "../../../provider/kube/errors/kube-error";
import { systemClock } from "../../../provider/kube/http/clock";
import { type ApiDouble, startApiDouble } from "../../support/api-double";
import { startFaultProxy } from "../../support/fault-proxy";
import { startScriptedServer } from "../../support/scripted-server";

// Some of these wait for real timeouts, on machines that may be busy.
jest.setTimeout(60_000);

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
    for (const each of cleanUp.splice(0).reverse()) await each();
});

async function clientOf(kubeconfig: string, options: ClientOptions = {}): Promise<KubeClient> {
    const client = await openCluster(
        { cluster: "edge", kubeconfig },
        { retries: "brief", requestTimeoutSeconds: 2, ...options },
    );
    cleanUp.push(() => client.close());
    return client;
}

async function scripted(script: RequestListener, options: ClientOptions = {}): Promise<KubeClient> {
    const server = await startScriptedServer(script);
    cleanUp.push(() => server.close());
    return clientOf(server.kubeconfig, options);
}

async function doubleWith(nodes: number): Promise<ApiDouble> {
    const double = await startApiDouble();
    cleanUp.push(() => double.close());
    for (let at = 0; at < nodes; at++) {
        const name = `n${String(at).padStart(5, "0")}`;
        double.putNode({ metadata: { name, labels: { pool: at % 2 ? "odd" : "even", other: "x" } } });
    }
    return double;
}

const failureOf = (work: Promise<unknown>): Promise<KubeError> =>
    work.then(
        () => Promise.reject(new Error("it did not fail")),
        (error: KubeError) => error,
    );
const page = (names: readonly string[], next = ""): string =>
    JSON.stringify({
        kind: "NodeList",
        metadata: { continue: next },
        items: names.map((name) => ({ metadata: { name } })),
    });
const query = (url: string | undefined): URLSearchParams => new URL(url ?? "/", "http://x").searchParams;

test("a list comes in pages of 500, all of them, in order", async () => {
    const double = await doubleWith(1203);
    const proxy = await startFaultProxy({ kubeconfig: double.kubeconfig });
    cleanUp.push(() => proxy.close());
    const { nodes } = await (await clientOf(proxy.kubeconfig)).listNodes();
    expect(nodes.map((node) => node.metadata?.name)).toEqual([...double.nodes.keys()]);
    expect(proxy.requests).toHaveLength(3);
});

test("an empty cluster is an empty list in one request", async () => {
    const double = await doubleWith(0);
    const client = await clientOf(double.kubeconfig);
    expect([(await client.listNodes()).nodes, await client.listPeers(), double.requests]).toEqual([[], [], 2]);
});

test("a label selector is applied by the server, and only the labels asked for are kept", async () => {
    const client = await clientOf((await doubleWith(6)).kubeconfig);
    const { nodes } = await client.listNodes({ labelSelector: "pool=odd", keepLabels: ["pool"] });
    expect(nodes.map((node) => node.metadata?.labels)).toEqual(Array(3).fill({ pool: "odd" }));
});

test("a list whose snapshot was compacted away between pages starts again and is whole", async () => {
    const double = await doubleWith(700);
    const client = await clientOf(double.kubeconfig);
    const answers: string[] = [];
    const server = await startScriptedServer(async (request, response) => {
        if (query(request.url).has("continue") && answers.length === 1) double.compact();
        const real = await fetch(double.url + request.url, {
            headers: { authorization: request.headers.authorization ?? "" },
        });
        answers.push(String(real.status));
        response.writeHead(real.status).end(await real.text());
    });
    cleanUp.push(() => server.close());
    const through = await clientOf(double.kubeconfig.replace(double.url, server.url));
    expect((await through.listNodes()).nodes).toEqual((await client.listNodes()).nodes);
    expect(answers).toEqual(["200", "410", "200", "200"]);
});

test("every page is asked for without a resourceVersion: the newest state, not a cache of any age", async () => {
    const asked: string[] = [];
    const client = await scripted((request, response) => {
        asked.push(...query(request.url).keys());
        response.end(asked.includes("continue") ? page(["b"]) : page(["a"], "next"));
    });
    await client.listNodes();
    expect([...new Set(asked)].sort()).toEqual(["continue", "limit"]);
});

describe("the clock of the server", () => {
    test("comes with the nodes, in seconds, from the last page", async () => {
        const double = await doubleWith(501);
        let hour = 0;
        double.setClock(() => Date.UTC(2026, 0, 2, ++hour));
        const { at } = await (await clientOf(double.kubeconfig)).listNodes();
        expect(at).toBe(Date.UTC(2026, 0, 2, 2) / 1000);
    });

    test("is not known where the server does not tell it", async () => {
        const double = await doubleWith(1);
        double.setClock(() => undefined);
        expect((await (await clientOf(double.kubeconfig)).listNodes()).at).toBeUndefined();
    });

    test.each(["", "yesterday", "1", "2026-01-02", "Fri, 99 Foo 2026 00:00:00 GMT"])(
        "is not known from the header %j",
        async (date) => {
            const client = await scripted((_, response) => response.setHeader("date", date).end(page(["a"])));
            expect((await client.listNodes()).at).toBeUndefined();
        },
    );
});

test("pages that do not all come in time are a timeout: slow is not wrong", async () => {
    let now = 0;
    const client = await scripted(
        (_, response) => {
            now += 40_000;
            response.end(page([`n${now}`], "next"));
        },
        { listDeadlineSeconds: 60, clock: { ...systemClock, now: () => now } },
    );
    expect(await failureOf(client.listNodes())).toMatchObject({ kind: "unreachable", network: "timeout" });
});

test("a list that is compacted away again and again ends in an error", async () => {
    let requests = 0;
    const client = await scripted((request, response) => {
        requests++;
        if (query(request.url).has("continue"))
            response.writeHead(410).end(JSON.stringify({ kind: "Status", reason: "Expired" }));
        else response.end(page(["a"], "next"));
    });
    expect(await failureOf(client.listNodes())).toMatchObject({ kind: "server", status: 410 });
    expect(requests).toBe(8);
});

test("pages without end are given up", async () => {
    let requests = 0;
    const names = Array.from({ length: 500 }, (_, at) => `n${at}`);
    const client = await scripted((_, response) => response.end(page(names, `token-${++requests}`)), {
        listDeadlineSeconds: 60,
    });
    expect((await failureOf(client.listNodes())).message).toContain("the list does not end");
    expect(requests).toBeLessThanOrEqual(201);
}, 30_000);

test("an empty page that promises more is given up", async () => {
    const client = await scripted((_, response) => response.end(page([], "more")));
    expect((await failureOf(client.listNodes())).message).toContain("the list does not end (0 objects so far)");
});

test.each(['{"items":[]}', '{"kind":"NodeList"}', '{"kind":"Status","items":[]}', "[]", "null", '"x"'])(
    "%s is not a list, and never taken for an empty cluster",
    async (body) => {
        const client = await scripted((_, response) => response.end(body));
        expect(await failureOf(client.listNodes())).toMatchObject({ kind: "server" });
    },
);

test("a page too large to hold is asked for in smaller pieces", async () => {
    const limits: string[] = [];
    const filler = "x".repeat(66 << 20);
    const client = await scripted(
        (request, response) => {
            const limit = query(request.url).get("limit") ?? "";
            limits.push(limit);
            response.end(limit === "500" ? JSON.stringify({ filler }) : page(["a"]));
        },
        { requestTimeoutSeconds: 10 },
    );
    expect((await client.listNodes()).nodes).toHaveLength(1);
    expect(limits).toEqual(["500", "62"]);
}, 30_000);

describe("a list is asked for in compressed form", () => {
    const zipped =
        (body: Buffer): RequestListener =>
        (request, response) => {
            expect(request.headers["accept-encoding"]).toBe("gzip");
            response.writeHead(200, { "content-encoding": "gzip" }).end(body);
        };

    test("and unpacked", async () => {
        const client = await scripted(zipped(gzipSync(page(["a", "b"]))));
        expect((await client.listNodes()).nodes).toHaveLength(2);
    });

    test("and one that would unpack to gigabytes is given up", async () => {
        const client = await scripted(zipped(gzipSync(Buffer.alloc(80 << 20))), { requestTimeoutSeconds: 20 });
        expect((await failureOf(client.listNodes())).message).toContain("larger than an API server allows");
    }, 60_000);

    test("and one that is corrupt is unreachable, not empty", async () => {
        const client = await scripted(zipped(Buffer.from("not gzip at all")));
        expect(await failureOf(client.listNodes())).toMatchObject({ kind: "unreachable", network: "network" });
    });
});

test("a body that drips is read while it moves, and given up at the deadline of the list", async () => {
    let drips = 0;
    const client = await scripted(
        (_, response) => {
            const timer = setInterval(() => response.write(drips++ === 0 ? '{"kind":"NodeList",' : " "), 50);
            response.on("close", () => clearInterval(timer));
        },
        { requestTimeoutSeconds: 0.3, listDeadlineSeconds: 1 },
    );
    expect(await failureOf(client.listNodes())).toMatchObject({ kind: "unreachable", network: "timeout" });
    expect(drips).toBeGreaterThan(8);
});

test("a slow page that keeps moving is not cut off by the request timeout", async () => {
    const text = page(["slow"]);
    const client = await scripted(
        (_, response) => {
            let at = 0;
            const timer = setInterval(() => {
                response.write(text.slice(at, at + 10));
                at += 10;
                if (at < text.length) return;
                clearInterval(timer);
                response.end();
            }, 60);
        },
        { requestTimeoutSeconds: 0.3 },
    );
    expect((await client.listNodes()).nodes).toHaveLength(1);
});

test("a page cut in the middle is asked for again", async () => {
    const double = await doubleWith(3);
    const proxy = await startFaultProxy({ kubeconfig: double.kubeconfig });
    cleanUp.push(() => proxy.close());
    proxy.atRequest(1, { kind: "cut" });
    expect((await (await clientOf(proxy.kubeconfig)).listNodes()).nodes).toHaveLength(3);
    expect(proxy.requests).toHaveLength(2);
});

test("a caller that gives up is not kept waiting", async () => {
    const client = await scripted(() => undefined);
    const stop = new AbortController();
    const work = client.listNodes({ signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(work).rejects.toThrow("enough");
});
