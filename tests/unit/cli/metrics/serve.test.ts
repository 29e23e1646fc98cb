import { createServer } from "node:net";
import { request } from "undici";
import { readListenAddress } from "../../../../cli/metrics/listen-address";
import { type MetricsServer, type Served, serve } from "../../../../cli/metrics/serve";

const METRICS: Served["metrics"] = { contentType: "text/plain; version=0.0.4", text: async () => "a 1\n" };
const LOOPBACK = { host: "127.0.0.1", port: 0 };

const open: MetricsServer[] = [];
afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
});

async function started(options: Partial<Served> = {}): Promise<MetricsServer> {
    const server = await serve({ listen: LOOPBACK, metrics: METRICS, waitingFor: () => [], ...options });
    open.push(server);
    return server;
}
async function ask(
    { port }: MetricsServer,
    path: string,
    method: "GET" | "HEAD" | "POST" = "GET",
): Promise<{ status: number; text: string; type: unknown; allow: unknown }> {
    const { statusCode, headers, body } = await request(`http://127.0.0.1:${port}${path}`, { method });
    return { status: statusCode, text: await body.text(), type: headers["content-type"], allow: headers.allow };
}

test("/metrics is what the metrics are, in their own type", async () => {
    const server = await started();
    expect(await ask(server, "/metrics")).toMatchObject({ status: 200, text: "a 1\n", type: METRICS.contentType });
    expect(await ask(server, "/metrics?x=1")).toMatchObject({ status: 200 });
    expect(await ask(server, "/metrics", "HEAD")).toMatchObject({ status: 200, text: "" });
});

test("it is alive from the start, and ready once every member was heard of", async () => {
    let waiting = ["hub", "edge"];
    const server = await started({ waitingFor: () => waiting });
    expect(await ask(server, "/healthz")).toMatchObject({ status: 200, text: "ok\n" });
    expect(await ask(server, "/readyz")).toMatchObject({ status: 503, text: "nothing was heard yet of hub, edge\n" });
    waiting = [];
    expect(await ask(server, "/readyz")).toMatchObject({ status: 200, text: "ok\n" });
});

test.each(["/", "/metrics/", "/constructor", "/healthz/x"])("%s is not there", async (path) => {
    expect((await ask(await started(), path)).status).toBe(404);
});

test("nothing can be sent to it", async () => {
    const server = await started();
    expect(await ask(server, "/metrics", "POST")).toMatchObject({ status: 405, allow: "GET, HEAD" });
    expect(await ask(server, "/readyz", "POST")).toMatchObject({ status: 405 });
});

test("metrics that fail are a failure of that reading alone", async () => {
    let fails = true;
    const text = async (): Promise<string> => {
        if (fails) throw new Error("no numbers");
        return "a 2\n";
    };
    const server = await started({ metrics: { ...METRICS, text } });
    expect(await ask(server, "/metrics")).toMatchObject({ status: 500, text: "no numbers\n" });
    fails = false;
    expect(await ask(server, "/metrics")).toMatchObject({ status: 200, text: "a 2\n" });
});

test("an address that is taken is told with what to do", async () => {
    const { port } = await started();
    await expect(
        serve({ listen: { host: "127.0.0.1", port }, metrics: METRICS, waitingFor: () => [] }),
    ).rejects.toMatchObject({
        message: `cannot listen on 127.0.0.1:${port}: another process listens there`,
        hint: "Give another address or port with --listen",
    });
});

test("closing lets the port go, with a reader still connected", async () => {
    const server = await serve({ listen: LOOPBACK, metrics: METRICS, waitingFor: () => [] });
    await ask(server, "/metrics");
    await server.close();
    const next = createServer();
    await new Promise<void>((resolve, reject) => {
        next.once("error", reject).listen(server.port, "127.0.0.1", resolve);
    });
    await new Promise((resolve) => next.close(resolve));
});

test.each([
    [":9464", { port: 9464 }],
    ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464 }],
    ["[::1]:80", { host: "::1", port: 80 }],
    ["localhost:0", { host: "localhost", port: 0 }],
])("--listen %s is understood", (text, expected) => {
    expect(readListenAddress(text)).toEqual(expected);
});

test.each(["9464", "", ":", ":x", ":70000", "::1:80", "a:b:1", "[::1]", "127.0.0.1"])(
    "--listen %s is refused",
    (text) => {
        expect(() => readListenAddress(text)).toThrow(`--listen cannot be ${JSON.stringify(text)}`);
    },
);
