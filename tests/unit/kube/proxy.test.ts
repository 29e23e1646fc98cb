import { createServer } from "node:http";
import { connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { thisMachine } from "../../../provider/kube/auth/surroundings";
import { openCluster } from "../../../provider/kube/client";
import { type FailureState, failureState } from "../../../provider/kube/errors/kube-error";
import { proxyFor } from "../../../provider/kube/http/proxy";
import { startApiDouble } from "../../support/api-double";
import { TestCa } from "../../support/certificates";
import { failureOf } from "../../support/failure-of";

describe("which proxy is used", () => {
    const chosen = (server: string, env: Record<string, string>, proxyUrl?: string): string | undefined =>
        proxyFor("edge", new URL(server), proxyUrl, env)?.href;
    const HTTPS_PROXY = "http://proxy.example:3128";
    const proxied = "http://proxy.example:3128/";

    test("the kubeconfig's, whatever the environment says", () => {
        expect(chosen("https://a.example", { HTTPS_PROXY, NO_PROXY: "*" }, "http://own.example:1")).toBe(
            "http://own.example:1/",
        );
    });

    test("else the environment's, in both spellings, by the scheme of the server", () => {
        expect(chosen("https://a.example", { HTTPS_PROXY })).toBe(proxied);
        expect(chosen("https://a.example", { https_proxy: HTTPS_PROXY })).toBe(proxied);
        expect(chosen("https://a.example", { HTTP_PROXY: HTTPS_PROXY })).toBeUndefined();
    });

    test.each([
        ["proxy.example:3128", "http://proxy.example:3128/"],
        ["10.0.0.1:3128", "http://10.0.0.1:3128/"],
        ["[2001:db8::1]:3128", "http://[2001:db8::1]:3128/"],
        ["user:word@proxy.example:3128", "http://user:word@proxy.example:3128/"],
        ["proxy.example", "http://proxy.example/"],
    ])("HTTPS_PROXY=%s, without a scheme, is an HTTP proxy", (HTTPS_PROXY, expected) => {
        expect(chosen("https://a.example", { HTTPS_PROXY })).toBe(expected);
    });

    test("loopback is never behind the environment's proxy", () => {
        for (const server of ["https://127.0.0.1:6443", "https://localhost:6443", "https://[::1]:6443"]) {
            expect(chosen(server, { HTTPS_PROXY })).toBeUndefined();
        }
    });

    test.each<[string, string, boolean]>([
        ["https://api.corp.example:6443", "corp.example", true],
        ["https://corp.example:6443", "corp.example", true],
        ["https://corp.example:6443", ".corp.example", false],
        ["https://api.corp.example", "*.corp.example", true],
        ["https://notcorp.example", "corp.example", false],
        ["https://10.1.2.3:6443", "10.0.0.0/8", true],
        ["https://11.1.2.3:6443", "10.0.0.0/8", false],
        ["https://10.1.2.3:6443", "10.1.2.3", true],
        ["https://10.1.2.3:6443", "10.1.2.3:6443", true],
        ["https://10.1.2.3:6443", "10.1.2.3:443", false],
        ["https://[2001:db8::1]:6443", "2001:db8::/32", true],
        ["https://10.1.2.3", "10.0.0.0/99,junk/,/", false],
        ["https://a.example", " , *", true],
    ])("%s with NO_PROXY=%s: exempt is %s", (server, NO_PROXY, exempt) => {
        expect(chosen(server, { HTTPS_PROXY, NO_PROXY }) === undefined).toBe(exempt);
    });

    test.each(["nonsense", "proxy.example:3128", "ftp://p.example", "http://"])(
        "%p is refused without repeating it",
        (url) => {
            expect(() => chosen("https://a.example", {}, url)).toThrow(/proxy-url in its kubeconfig is not/);
        },
    );
});

describe("through a proxy", () => {
    const ca = new TestCa();
    const tls = { ...ca.issue({ commonName: "api", hosts: ["127.0.0.1"] }), ca: ca.cert };
    const cleanUp: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
        for (const each of cleanUp.splice(0)) await each();
    });

    async function listenTcp(server: Server): Promise<number> {
        const sockets = new Set<Socket>();
        server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        cleanUp.push(async () => {
            for (const socket of sockets) socket.destroy();
            await new Promise((resolve) => server.close(resolve));
        });
        return (server.address() as { port: number }).port;
    }

    /** An HTTP proxy that knows CONNECT and wants a password. */
    async function startConnectProxy(seen: string[]): Promise<number> {
        const proxy = createServer();
        proxy.on("connect", (request, socket: Socket) => {
            const expected = `Basic ${Buffer.from("user:p%ss").toString("base64")}`;
            seen.push(request.url ?? "");
            if (request.headers["proxy-authorization"] !== expected) {
                socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
                return;
            }
            const [host = "", port] = (request.url ?? "").split(":");
            const upstream = connect(Number(port), host, () => {
                socket.write("HTTP/1.1 200 OK\r\n\r\n");
                socket.pipe(upstream).pipe(socket);
            });
            upstream.on("error", () => socket.destroy());
        });
        return listenTcp(proxy);
    }

    /** A SOCKS5 proxy without authentication. */
    async function startSocksProxy(seen: string[]): Promise<number> {
        const proxy = createTcpServer((socket) => {
            socket.once("data", () => {
                socket.write(Buffer.from([5, 0]));
                socket.once("data", (ask: Buffer) => {
                    const port = ask.readUInt16BE(ask.length - 2);
                    seen.push(`socks:${port}`);
                    const upstream = connect(port, "127.0.0.1", () => {
                        socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
                        socket.pipe(upstream).pipe(socket);
                    });
                    upstream.on("error", () => socket.destroy());
                });
            });
        });
        return listenTcp(proxy);
    }

    async function nodesThrough(proxyUrl: string, seenBy: { tls: boolean }): Promise<number> {
        const double = await startApiDouble(seenBy.tls ? { tls } : {});
        cleanUp.push(() => double.close());
        double.putNode({ metadata: { name: "n1" } });
        const document = JSON.parse(double.kubeconfig);
        document.clusters[0].cluster["proxy-url"] = proxyUrl;
        const client = await openCluster(
            { cluster: "edge", kubeconfig: JSON.stringify(document) },
            { retries: "brief", requestTimeoutSeconds: 3, surroundings: { ...thisMachine(), env: {} } },
        );
        cleanUp.push(() => client.close());
        return (await client.listNodes()).nodes.length;
    }

    test.each([true, false])("that asks for a password, to a server with TLS %s", async (withTls) => {
        const seen: string[] = [];
        const port = await startConnectProxy(seen);
        expect(await nodesThrough(`http://user:p%25ss@127.0.0.1:${port}`, { tls: withTls })).toBe(1);
        expect(seen).toHaveLength(1);
    });

    test("of SOCKS5 kind", async () => {
        const seen: string[] = [];
        const port = await startSocksProxy(seen);
        expect(await nodesThrough(`socks5h://127.0.0.1:${port}`, { tls: true })).toBe(1);
        expect(seen).toHaveLength(1);
    });

    /** A proxy that answers every CONNECT with this. */
    async function startRefusingProxy(status: string): Promise<number> {
        const proxy = createServer();
        proxy.on("connect", (_, socket: Socket) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`));
        return listenTcp(proxy);
    }

    /** A SOCKS5 proxy that answers every CONNECT with this code. */
    async function startRefusingSocks(reply: number): Promise<number> {
        const proxy = createTcpServer((socket) => {
            socket.once("data", () => {
                socket.write(Buffer.from([5, 0]));
                socket.once("data", () => socket.write(Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0])));
            });
        });
        return listenTcp(proxy);
    }

    test.each(["http", "socks5"])("a dead proxy (%s) is named, and not the API server behind it", async (scheme) => {
        const port = await listenTcp(createTcpServer());
        for (const each of cleanUp.splice(0)) await each();
        const error = await failureOf(nodesThrough(`${scheme}://user:hunter22@127.0.0.1:${port}`, { tls: true }));
        expect(error).toMatchObject({ kind: "unreachable", network: "refused" });
        expect(error.message).toContain(`the proxy 127.0.0.1:${port} on the way to 127.0.0.1:`);
        expect(error.message).toContain("cannot be reached (ECONNREFUSED)");
        expect(error.fix).toContain("proxy");
        expect(failureState(error)).toBe("silent");
        expect(`${error.message}${error.fix}${error.stack}`).not.toContain("hunter22");
    });

    test("a proxy whose name does not exist is named", async () => {
        const error = await failureOf(nodesThrough("http://no-such-proxy.invalid:3128", { tls: true }));
        expect(error).toMatchObject({ kind: "unreachable", network: "dns" });
        expect(error.message).toContain("the proxy no-such-proxy.invalid:3128");
    });

    test.each<[string, () => Promise<number>, string, FailureState]>([
        ["HTTP proxy that finds no way", () => startRefusingProxy("503 Service Unavailable"), "http", "silent"],
        ["HTTP proxy that forbids it", () => startRefusingProxy("403 Forbidden"), "http", "unusable"],
        ["SOCKS proxy whose server refuses", () => startRefusingSocks(5), "socks5", "silent"],
        ["SOCKS proxy that forbids it", () => startRefusingSocks(2), "socks5", "unusable"],
    ])("a %s makes the cluster what it is", async (_, start, scheme, state) => {
        const error = await failureOf(nodesThrough(`${scheme}://127.0.0.1:${await start()}`, { tls: true }));
        expect(error.message).toContain("the proxy 127.0.0.1:");
        expect([error.kind, failureState(error)]).toEqual(["unreachable", state]);
    });

    test("a proxy that is silent is named beside the server: which of them it is cannot be seen", async () => {
        const port = await listenTcp(createTcpServer());
        const error = await failureOf(nodesThrough(`http://127.0.0.1:${port}`, { tls: true }));
        expect(error.message).toMatch(
            /no answer within 3 s from 127\.0\.0\.1:\d+ \(through the proxy 127\.0\.0\.1:\d+\)/,
        );
    });

    test("a wrong password is told, and the password is not", async () => {
        const port = await startConnectProxy([]);
        const error = await failureOf(nodesThrough(`http://user:hunter22@127.0.0.1:${port}`, { tls: true }));
        expect(error).toMatchObject({ kind: "unreachable", network: "proxy", retryable: false });
        expect(error.message).toContain("407");
        expect(`${error.message}${error.fix}${error.stack}`).not.toContain("hunter22");
    });
});
