import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { type ApiDouble, close, listen, startApiDouble } from "../../support/api-double";
import { TestCa } from "../../support/certificates";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy";
import { openRawApi, type RawApi } from "../../support/raw-api";

const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";
const ca = new TestCa();
const tls = { ...ca.issue({ commonName: "api", hosts: ["127.0.0.1"] }), ca: ca.cert };
let double: ApiDouble;
let proxy: FaultProxy;
let api: RawApi;

beforeEach(async () => {
    double = await startApiDouble({ tls });
    double.putNode({ metadata: { name: "n1" } });
    proxy = await startFaultProxy({ kubeconfig: double.kubeconfig, record: true });
    api = await openRawApi(proxy.kubeconfig);
});
afterEach(async () => {
    await api.close();
    await proxy.close();
    await double.close();
});

const nodes = () => api.request("GET", "/api/v1/nodes");
const create = (name: string) =>
    api.request("POST", PEERS, {
        apiVersion: "kilo.squat.ai/v1alpha1",
        kind: "Peer",
        metadata: { name },
        spec: { allowedIPs: [], publicKey: "k" },
    });

test("without rules everything passes through, with the caller's own credentials, and is logged", async () => {
    expect((await nodes()).json.items).toHaveLength(1);
    expect((await create("p")).status).toBe(201);
    expect((await api.request("GET", `${PEERS}?labelSelector=a%3Db`)).status).toBe(200);
    expect((await api.request("GET", "/api/v1/namespaces/x/secrets/y")).status).toBe(403);
    expect(proxy.requests).toEqual([
        { index: 1, method: "GET", path: "/api/v1/nodes", write: false, status: 200 },
        { index: 2, method: "POST", path: PEERS, write: true, status: 201 },
        { index: 3, method: "GET", path: PEERS, labelSelector: "a=b", write: false, status: 200 },
        { index: 4, method: "GET", path: "/api/v1/namespaces/x/secrets/y", write: false, status: 403 },
    ]);
});

test("a fault at the k-th request from now on strikes that request and no other", async () => {
    await nodes();
    proxy.atRequest(2, { kind: "answer", status: 503, retryAfter: "7" });
    expect([(await nodes()).status, (await nodes()).status, (await nodes()).status]).toEqual([200, 503, 200]);
    expect(proxy.requests.map(({ fault }) => fault)).toEqual([undefined, undefined, "answer", undefined]);
});

test("a rule strikes what it matches, as often as it says, until it is taken back", async () => {
    const takeBack = proxy.inject({ fault: { kind: "answer", status: 429 }, when: ({ write }) => write });
    expect([(await create("a")).status, (await nodes()).status, (await create("a")).status]).toEqual([429, 200, 429]);
    takeBack();
    expect((await create("a")).status).toBe(201);
    proxy.inject({ fault: { kind: "answer", status: 500 }, times: 1 });
    expect([(await nodes()).status, (await nodes()).status]).toEqual([500, 200]);
});

test("reset: the API server never sees the request", async () => {
    proxy.atRequest(1, { kind: "reset" });
    await expect(create("p")).rejects.toThrow();
    expect(double.requests).toBe(0);
});

test("drop: the write is done, and its answer is lost", async () => {
    proxy.atRequest(1, { kind: "drop" });
    await expect(create("p")).rejects.toThrow();
    expect(double.peers.get("p").metadata.name).toBe("p");
});

test("cut: the answer ends in the middle", async () => {
    proxy.atRequest(1, { kind: "cut" });
    await expect(nodes()).rejects.toThrow();
    expect((await nodes()).status).toBe(200);
});

test("delay: the answer comes later, and is whole", async () => {
    proxy.atRequest(1, { kind: "delay", milliseconds: 50 });
    expect((await nodes()).json.items).toHaveLength(1);
});

test("stale: a list as it was, whatever happened since", async () => {
    await nodes();
    double.putNode({ metadata: { name: "n2" } });
    proxy.atRequest(1, { kind: "stale" });
    expect([(await nodes()).json.items?.length, (await nodes()).json.items?.length]).toEqual([1, 2]);
});

test("down and up again: refused meanwhile, on the same port afterwards", async () => {
    await nodes();
    await proxy.down();
    await expect(nodes()).rejects.toThrow();
    await proxy.up();
    expect((await nodes()).status).toBe(200);
});

test("nobody else is given the port of a proxy that is down", async () => {
    await proxy.down();
    const { port } = new URL(proxy.url);
    const given = new Set<number>();
    // the system chooses from some 7,000 for a server: each of them comes up several times
    for (let round = 0; round < 28_000; round++) {
        const other = createServer();
        given.add(await listen(other));
        await close(other);
    }
    expect(given.size).toBeGreaterThan(1_000);
    expect(given).not.toContain(Number(port));
});

test("a black hole swallows everything until it is gone", async () => {
    proxy.blackHole(true);
    const lost = nodes().catch(() => "lost");
    while (proxy.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    proxy.blackHole(false);
    expect(await lost).toBe("lost");
    expect(double.requests).toBe(0);
    expect((await nodes()).status).toBe(200);
});

/** Sends four writes at once, the first over a connection that is open already. */
const SENDER = `
const http = require("node:http");
const [url, peers, token] = process.argv.slice(1);
const agent = new http.Agent({ keepAlive: true });
const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
const send = (method, path, body) =>
    new Promise((resolve) => {
        const request = http.request(url + path, { method, headers, agent }, (answer) => answer.resume().on("end", resolve));
        request.on("error", () => undefined).end(body);
    });
send("GET", "/api/v1/nodes").then(() => setImmediate(() => {
    for (const name of ["a", "b", "c", "d"]) {
        const body = { apiVersion: "kilo.squat.ai/v1alpha1", kind: "Peer", metadata: { name }, spec: { allowedIPs: [], publicKey: "k" } };
        send("POST", peers, JSON.stringify(body));
    }
}));
`;

test("what a killed process had sent meets the rules of its time, also when it is read later", async () => {
    const first = new Promise<void>((resolve) => {
        proxy.inject({
            fault: { kind: "hang" },
            when: ({ write }) => {
                if (write) setImmediate(resolve);
                return write;
            },
        });
    });
    const token = [...double.accounts.keys()][0]!;
    const sender = spawn(process.execPath, ["-e", SENDER, proxy.url, PEERS, token], { stdio: "ignore" });
    const gone = new Promise((resolve) => sender.once("exit", resolve));
    await first;
    // As on a busy machine: the others are sent and their sender is dead before any of them is read.
    const wait = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(wait, 0, 0, 50);
    sender.kill("SIGKILL");
    Atomics.wait(wait, 0, 0, 50);
    await gone;
    await proxy.abandoned();
    proxy.clear();
    await nodes();
    expect(double.events).toEqual([]);
});
