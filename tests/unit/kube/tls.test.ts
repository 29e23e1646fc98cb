import { createServer, type Server } from "node:https";
import { createServer as createPlain } from "node:net";
import type { TLSSocket } from "node:tls";
import { type KubeClient, openCluster } from "../../../provider/kube/client";
import { close, listen } from "../../support/api-double";
import { type Identity, TestCa } from "../../support/certificates";
import { failureOf } from "../../support/failure-of";
import { kubeconfigFor } from "../../support/kubeconfig";

const DAY = 86_400_000;
const ca = new TestCa();
const open = new Set<{ close(): Promise<unknown> }>();
afterEach(async () => {
    for (const each of open) await each.close();
    open.clear();
});

async function startTls(identity: Identity, more: object = {}): Promise<string> {
    const server: Server = createServer({ ...identity, ...more }, (request, response) => {
        const peer = (request.socket as TLSSocket).getPeerCertificate();
        const item = { metadata: { name: peer.subject?.CN ?? "anonymous" } };
        response.end(JSON.stringify({ kind: "NodeList", items: [item], metadata: {} }));
    });
    const port = await listen(server);
    open.add({ close: () => close(server) });
    return `https://127.0.0.1:${port}`;
}

async function client(options: Parameters<typeof kubeconfigFor>[0]): Promise<KubeClient> {
    const opened = await openCluster(
        { cluster: "edge", kubeconfig: kubeconfigFor(options) },
        { retries: "brief", requestTimeoutSeconds: 3 },
    );
    open.add(opened);
    return opened;
}

const failure = async (options: Parameters<typeof kubeconfigFor>[0]) => failureOf((await client(options)).listNodes());
const names = async (options: Parameters<typeof kubeconfigFor>[0]): Promise<unknown[]> =>
    (await (await client(options)).listNodes()).nodes.map((node) => node.metadata?.name);

const good = ca.issue({ commonName: "api", hosts: ["127.0.0.1", "api.internal"] });

test("a server whose certificate the kubeconfig's CA signed is trusted", async () => {
    expect(await names({ server: await startTls(good), ca: ca.cert })).toEqual(["anonymous"]);
});

test("a client certificate says who we are", async () => {
    const me = ca.issue({ commonName: "me" });
    const server = await startTls(good, { requestCert: true, ca: ca.cert });
    const user = {
        "client-certificate-data": Buffer.from(me.cert).toString("base64"),
        "client-key-data": Buffer.from(me.key).toString("base64"),
    };
    expect(await names({ server, ca: ca.cert, user })).toEqual(["me"]);
});

test("tls-server-name is the name that the certificate must have", async () => {
    const server = await startTls(ca.issue({ commonName: "api", hosts: ["api.internal"] }));
    const cluster = { "tls-server-name": "api.internal" };
    expect(await names({ server, ca: ca.cert, cluster })).toEqual(["anonymous"]);
});

test("insecure-skip-tls-verify trusts any certificate", async () => {
    const server = await startTls(new TestCa().issue({ commonName: "x" }));
    expect(await names({ server, ca: ca.cert, cluster: { "insecure-skip-tls-verify": true } })).toEqual(["anonymous"]);
});

describe("a TLS failure makes the cluster unreachable, names the reason, and is not tried again", () => {
    test.each<[string, Identity, string]>([
        [
            "the wrong CA",
            new TestCa("other CA").issue({ commonName: "api", hosts: ["127.0.0.1"] }),
            "is not signed by the CA in the kubeconfig",
        ],
        [
            "an expired certificate",
            ca.issue({
                commonName: "api",
                hosts: ["127.0.0.1"],
                notBefore: new Date(Date.now() - 9 * DAY),
                notAfter: new Date(Date.now() - DAY),
            }),
            "has expired",
        ],
        [
            "a certificate from the future",
            ca.issue({ commonName: "api", hosts: ["127.0.0.1"], notBefore: new Date(Date.now() + DAY) }),
            "is not valid yet",
        ],
        ["another host name", ca.issue({ commonName: "api", hosts: ["api.internal"] }), "is for another host name"],
    ])("%s", async (_, identity, message) => {
        const error = await failure({ server: await startTls(identity), ca: ca.cert });
        expect(error).toMatchObject({ kind: "unreachable", network: "tls", retryable: false });
        expect(error.message).toContain("cluster edge is unreachable: could not list nodes: TLS: ");
        expect(error.message).toContain(message);
        expect(error.fix).not.toBe("");
    });

    test("a server that speaks no TLS", async () => {
        const plain = createPlain((socket) =>
            socket
                .on("error", () => undefined)
                .resume()
                .end("HTTP/1.1 400 Bad Request\r\n\r\n"),
        );
        const port = await new Promise<number>((resolve) =>
            plain.listen(0, "127.0.0.1", () => resolve((plain.address() as { port: number }).port)),
        );
        open.add({ close: () => new Promise((resolve) => plain.close(resolve)) });
        const error = await failure({ server: `https://127.0.0.1:${port}`, ca: ca.cert });
        expect(error).toMatchObject({ kind: "unreachable", network: "tls" });
        expect(error.message).toContain("handshake");
    });

    test("a refused client without certificate", async () => {
        const server = await startTls(good, { requestCert: true, rejectUnauthorized: true, ca: ca.cert });
        expect(await failure({ server, ca: ca.cert })).toMatchObject({ kind: "unreachable" });
    });
});
