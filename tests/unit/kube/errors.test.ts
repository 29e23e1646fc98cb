import { inspect } from "node:util";
import { type KubeClient, openCluster } from "../../../provider/kube/client";
import type { KubeErrorKind } from "../../../provider/kube/errors/kube-error";
import { type ApiDouble, startApiDouble } from "../../support/api-double";
import { TestCa } from "../../support/certificates";
import { failureOf } from "../../support/failure-of";
import { type Fault, type FaultProxy, startFaultProxy } from "../../support/fault-proxy";
import { kubeconfigFor } from "../../support/kubeconfig";

// Some of these wait for real timeouts, on machines that may be busy.
jest.setTimeout(60_000);

const SPEC = { allowedIPs: ["10.0.0.0/24"], publicKey: Buffer.alloc(32, 1).toString("base64") };
let double: ApiDouble;
let proxy: FaultProxy;
let client: KubeClient;

beforeAll(async () => {
    double = await startApiDouble();
    proxy = await startFaultProxy({ kubeconfig: double.kubeconfig });
});
beforeEach(async () => {
    client = await openCluster(
        { cluster: "edge", kubeconfig: proxy.kubeconfig },
        { retries: "brief", requestTimeoutSeconds: 1.5 },
    );
});
afterEach(async () => {
    proxy.clear();
    await client.close();
});
afterAll(async () => {
    await proxy.close();
    await double.close();
});

const always = (fault: Fault): void => void proxy.inject({ fault });
const status = (code: number, more: object = {}): Fault => ({
    kind: "answer",
    status: code,
    body: { kind: "Status", message: "the server's words", code, ...more },
});

describe("each refusal has its kind, the words of the server, and the next step", () => {
    test.each<[number, object, KubeErrorKind, boolean, RegExp]>([
        [401, {}, "unauthorized", false, /^Renew the token or client certificate/],
        [
            403,
            { message: 'User "x" cannot list resource "nodes"' },
            "forbidden",
            false,
            /^Apply rbac\.yaml of this package .* verb "list" on "nodes"$/,
        ],
        [
            403,
            { message: 'admission webhook "w" denied the request' },
            "forbidden",
            false,
            /admission policy, webhook or quota/,
        ],
        [404, {}, "server", false, /Kubernetes API server/],
        [400, {}, "invalid", false, /^Correct the values that the message names/],
        [422, {}, "invalid", false, /^Correct the values that the message names/],
        [418, {}, "server", false, /is not understood/],
        [302, {}, "server", false, /is not understood/],
        [429, {}, "throttled", true, /overloaded/],
        [500, {}, "server", true, /log of the API server/],
        [503, {}, "server", true, /log of the API server/],
    ])("%s %j is %s", async (code, body, kind, retryable, fix) => {
        always(status(code, body));
        const error = await failureOf(client.listNodes());
        expect(error).toMatchObject({ name: "KubeError", cluster: "edge", kind, retryable, status: code });
        expect(error.message).toMatch(new RegExp(`^cluster edge: could not list nodes: ${code} `));
        expect(error.fix).toMatch(fix);
    });

    test("the real 403 of an account without rights names verb and resource", async () => {
        double.accounts.set("powerless", { user: "nobody", rules: {} });
        const kubeconfig = kubeconfigFor({ server: double.url, token: "powerless" });
        const powerless = await openCluster({ cluster: "edge", kubeconfig });
        const errors = await Promise.all([
            failureOf(powerless.listPeers()),
            failureOf(powerless.createPeer({ name: "p", labels: {}, spec: SPEC })),
            failureOf(powerless.deletePeer("p", "u")),
            failureOf(powerless.getSecret("ns", "s")),
        ]);
        await powerless.close();
        expect(errors.map(({ kind }) => kind)).toEqual(Array(4).fill("forbidden"));
        expect(errors.map(({ fix }) => fix.slice(fix.indexOf(":") + 2))).toEqual([
            'the account lacks the verb "list" on "peers.kilo.squat.ai"',
            'the account lacks the verb "create" on "peers.kilo.squat.ai"',
            'the account lacks the verb "delete" on "peers.kilo.squat.ai"',
            'the account lacks the verb "get" on "secrets" in namespace ns',
        ]);
    });

    test("a cluster without Kilo is crd-missing for every call to peers, and its peers are gone", async () => {
        double.installCrd(false);
        const errors = await Promise.all([
            failureOf(client.listPeers()),
            failureOf(client.getPeer("p")),
            failureOf(client.createPeer({ name: "p", labels: {}, spec: SPEC })),
            failureOf(client.patchPeer("p", { metadata: { uid: "u" } })),
        ]);
        const outcome = await client.deletePeer("p", "u");
        double.installCrd(true);
        expect(errors.map(({ kind }) => kind)).toEqual(Array(4).fill("crd-missing"));
        expect(errors[0]?.fix).toContain("Install Kilo");
        expect(outcome).toBe("gone");
    });

    test("an expired client certificate is told with the 401", async () => {
        const old = new TestCa().issue({
            commonName: "me",
            notBefore: new Date("2020-01-01"),
            notAfter: new Date("2020-02-03"),
        });
        const user = {
            "client-certificate-data": Buffer.from(old.cert).toString("base64"),
            "client-key-data": Buffer.from(old.key).toString("base64"),
        };
        const expired = await openCluster({ cluster: "edge", kubeconfig: kubeconfigFor({ server: double.url, user }) });
        const error = await failureOf(expired.listNodes());
        await expired.close();
        expect(error.kind).toBe("unauthorized");
        expect(error.message).toContain("its client certificate expired on 2020-02-03");
    });
});

describe("a cluster that gives no answer is unreachable", () => {
    test.each<[string, Fault, string, RegExp]>([
        ["silent", { kind: "hang" }, "timeout", /no answer within 1\.5 s from 127\.0\.0\.1:\d+$/],
        ["silent after half an answer", { kind: "hang-body" }, "timeout", /no complete answer within 1\.5 s/],
        ["cutting its answers", { kind: "cut" }, "reset", /closed the connection before its answer was complete/],
        ["resetting connections", { kind: "reset" }, "reset", /closed the connection/],
    ])("%s", async (_, fault, network, message) => {
        always(fault);
        const error = await failureOf(client.getPeer("p"));
        expect(error).toMatchObject({ kind: "unreachable", cluster: "edge", network, retryable: true });
        expect(error.message).toMatch(/^cluster edge is unreachable: could not get peers\.kilo\.squat\.ai p: /);
        expect(error.message).toMatch(message);
        expect(error.fix).not.toBe("");
    });

    test("refusing connections", async () => {
        await proxy.down();
        const error = await failureOf(client.listNodes());
        await proxy.up();
        expect(error).toMatchObject({ kind: "unreachable", network: "refused" });
        expect(error.message).toContain("ECONNREFUSED");
        expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
    });

    test("with a name that does not exist", async () => {
        const kubeconfig = kubeconfigFor({ server: "https://no-such-host.invalid:6443" });
        const lost = await openCluster({ cluster: "edge", kubeconfig }, { retries: "brief", requestTimeoutSeconds: 2 });
        const error = await failureOf(lost.listNodes());
        await lost.close();
        expect(error).toMatchObject({ kind: "unreachable", network: "dns" });
        expect(error.message).toContain("no-such-host.invalid:6443 cannot be resolved");
    });
});

describe("nothing secret and nothing dangerous gets into an error", () => {
    const token = "member-token-of-the-double";

    test("a server that echoes our token does not get it into the log", async () => {
        always(status(500, { message: `you sent Authorization: Bearer ${token}, did you? (${token})` }));
        const error = await failureOf(client.listNodes());
        expect(error.message).toContain("[secret]");
        expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(token);
    });

    test("a server cannot write lines, colours or megabytes into the log", async () => {
        always(status(400, { message: `x\n\u001b[2Jerror: all is lost\r${"y".repeat(1_000_000)}` }));
        const error = await failureOf(client.listNodes());
        expect(error.message).not.toMatch(/\p{Cc}/u);
        expect(error.message.length).toBeLessThan(700);
    });

    test("a body that is no Status is shown as it is, but clean", async () => {
        always({ kind: "answer", status: 502, body: "<html>\nbad gateway\u0007</html>" });
        expect((await failureOf(client.listNodes())).message).toContain("502 <html> bad gateway\\u{7}</html>");
    });

    test("an answer of 200 that is not JSON is an error, not an empty list", async () => {
        always({ kind: "answer", status: 200, body: "<html>log in here</html>" });
        expect(await failureOf(client.listNodes())).toMatchObject({ kind: "server" });
    });
});
