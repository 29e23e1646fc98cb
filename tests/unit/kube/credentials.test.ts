import { constants, Script } from "node:vm";
import { loadClientNode } from "../../../provider/kube/auth/client-node";
import { resolveCredentials } from "../../../provider/kube/auth/credentials";
import type { Surroundings } from "../../../provider/kube/auth/surroundings";
import { TestCa } from "../../support/certificates";
import { failureOf } from "../../support/failure-of";
import { type KubeconfigOptions, kubeconfigFor } from "../../support/kubeconfig";
import { temporaryDirectory } from "../../support/temporary";

// Jest's sandbox cannot import ES modules without a flag of Node; the process around it can.
const mockImport = (name: string): Promise<unknown> =>
    new Script("(name) => import(name)", {
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }).runInThisContext()(name);
jest.mock("../../../provider/kube/auth/client-node", () => ({
    ...jest.requireActual<object>("../../../provider/kube/auth/client-node"),
    loadClientNode: jest.fn(() => mockImport("@kubernetes/client-node")),
}));

const SERVER = "https://192.0.2.1:6443";
const SECRET = "s3cr3t-text";
let files: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
    files = await temporaryDirectory();
});
afterAll(() => files.remove());

const resolve = (options: KubeconfigOptions, around: Partial<Surroundings> = {}, timeoutSeconds = 5) =>
    resolveCredentials(
        { cluster: "edge", kubeconfig: kubeconfigFor({ server: SERVER, ...options }) },
        {
            timeoutSeconds,
            now: () => Date.now(),
            surroundings: { env: { PATH: process.env.PATH }, home: "/", serviceAccountDirectory: "/", ...around },
        },
    );
const failure = (...args: Parameters<typeof resolve>) => failureOf(resolve(...args));

describe("who we are", () => {
    test("a token", async () => {
        const { headers, secrets } = await resolve({ token: SECRET });
        expect(headers).toEqual({ authorization: `Bearer ${SECRET}` });
        expect(secrets).toContain(SECRET);
    });

    test("a token in a file, which wins over a token in the text", async () => {
        const tokenFile = await files.file("token", "from-file\n");
        const { headers } = await resolve({ token: "from-text", user: { tokenFile } });
        expect(headers).toEqual({ authorization: "Bearer from-file" });
    });

    test("user and password", async () => {
        const { headers, secrets } = await resolve({ user: { username: "me", password: SECRET } });
        expect(headers).toEqual({ authorization: `Basic ${Buffer.from(`me:${SECRET}`).toString("base64")}` });
        expect(secrets).toContain(SECRET);
    });

    test("a client certificate, embedded or in files", async () => {
        const { cert, key } = new TestCa().issue({ commonName: "me" });
        const base64 = (text: string): string => Buffer.from(text).toString("base64");
        const embedded = await resolve({
            user: { "client-certificate-data": base64(cert), "client-key-data": base64(key) },
        });
        expect([String(embedded.tls.cert), String(embedded.tls.key)]).toEqual([cert, key]);
        const filed = await resolve({
            user: {
                "client-certificate": await files.file("me.crt", cert),
                "client-key": await files.file("me.key", key),
            },
        });
        expect(String(filed.tls.cert)).toBe(cert);
    });

    test("somebody we impersonate", async () => {
        const { headers } = await resolve({
            token: "t",
            user: { as: "other", "as-groups": ["a", "b"], "as-uid": "7" },
        });
        expect(headers).toMatchObject({
            "impersonate-user": "other",
            "impersonate-group": ["a", "b"],
            "impersonate-uid": "7",
        });
    });

    test("somebody we impersonate, with all that is said of them", async () => {
        const extra = { scopes: ["a", "b"], "acme.com/team%": ["blue"], Größe: ["groß"] };
        const { headers } = await resolve({ token: "t", user: { as: "jürgen", "as-user-extra": extra } });
        const bytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
        expect(headers).toEqual({
            authorization: "Bearer t",
            "impersonate-user": bytes("jürgen"),
            "impersonate-extra-scopes": ["a", "b"],
            "impersonate-extra-acme.com%2Fteam%25": ["blue"],
            "impersonate-extra-Gr%C3%B6%C3%9Fe": [bytes("groß")],
        });
    });

    test("the service account of the pod we run in", async () => {
        const ca = new TestCa();
        await files.file("token", "pod-token");
        await files.file("ca.crt", ca.cert);
        const { server, headers, tls } = await resolveCredentials(
            { cluster: "edge", local: true },
            {
                timeoutSeconds: 5,
                now: () => Date.now(),
                surroundings: {
                    env: { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" },
                    home: "/",
                    serviceAccountDirectory: files.path,
                },
            },
        );
        expect([server.href, headers, String(tls.ca)]).toEqual([
            "https://[fd00::1]:6443/",
            { authorization: "Bearer pod-token" },
            ca.cert,
        ]);
    });

    test("what an auth-provider gives, through the Kubernetes client", async () => {
        const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
        const token = `${part({ alg: "none" })}.${part({ exp: Math.floor(Date.now() / 1000) + 3600 })}.x`;
        const config = { "id-token": token, "client-id": "c", "idp-issuer-url": "https://127.0.0.1:1" };
        const { headers } = await resolve({ user: { "auth-provider": { name: "oidc", config } } });
        expect(headers).toEqual({ authorization: `Bearer ${token}` });
    }, 30_000);

    test("an auth-provider without the package that it needs says what to install", async () => {
        jest.mocked(loadClientNode).mockRejectedValueOnce(
            Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }),
        );
        const error = await failure({ user: { "auth-provider": { name: "oidc", config: { "id-token": SECRET } } } });
        expect(error).toMatchObject({ kind: "config", cluster: "edge" });
        expect(error.message).toContain("needs the package @kubernetes/client-node");
        expect(error.fix).toContain("npm install @kubernetes/client-node@1");
        expect(`${error.message}${error.stack}`).not.toContain(SECRET);
    });

    test("an auth-provider that gives nothing is unauthorized, and its tokens stay secret", async () => {
        const config = { "id-token": `${SECRET}.${SECRET}.x` };
        const error = await failure({ user: { "auth-provider": { name: "oidc", config } } });
        expect(error).toMatchObject({ kind: "unauthorized", cluster: "edge" });
        expect(`${error.message}${error.stack}`).not.toContain(SECRET);
    }, 30_000);
});

describe("where the server is", () => {
    test("TLS settings of the kubeconfig are used", async () => {
        const { tls, proxyUrl } = await resolve({
            cluster: {
                "tls-server-name": "api.internal",
                "insecure-skip-tls-verify": true,
                "proxy-url": "http://p.example:1",
            },
        });
        expect(tls).toMatchObject({ servername: "api.internal", rejectUnauthorized: false });
        expect(tls).not.toHaveProperty("ca");
        expect(proxyUrl).toBe("http://p.example:1");
    });

    test("plain http is for loopback only: elsewhere it would show credentials to everybody", async () => {
        for (const server of ["http://127.0.0.1:8001", "http://localhost:8001", "http://[::1]:8001"]) {
            expect((await resolve({ server })).server.protocol).toBe("http:");
        }
        const error = await failure({ server: "http://192.0.2.1:8080", token: SECRET });
        expect(error).toMatchObject({ kind: "config" });
        expect(error.message).toContain("has no TLS");
        expect(error.message).not.toContain(SECRET);
    });

    test.each(["not a url", "ftp://192.0.2.1", `https://user:${SECRET}@192.0.2.1`])(
        "%p is no server",
        async (server) => {
            const error = await failure({ server });
            expect(error).toMatchObject({ kind: "config" });
            expect(error.message).not.toContain(SECRET);
        },
    );
});

describe("what cannot be used is an error of kind config", () => {
    test.each<[string, KubeconfigOptions, string]>([
        ["a CA that is not PEM", { ca: SECRET, user: { "client-certificate-data": "AAAA" } }, "cannot be used ("],
        [
            "a missing CA file",
            { cluster: { "certificate-authority": "/none" } },
            "certificate-authority in its kubeconfig names",
        ],
        ["a missing key file", { user: { "client-key": "/none" } }, "client-key in its kubeconfig names"],
        ["a missing token file", { user: { tokenFile: "/none" } }, "tokenFile in its kubeconfig names"],
        ...["as", "as-uid", "as-groups", "as-user-extra"].map((field): [string, KubeconfigOptions, string] => {
            const text = `${SECRET}\nx-header: y`;
            const value = field === "as-groups" ? [text] : field === "as-user-extra" ? { key: [text] } : text;
            return [
                `a line break in ${field}`,
                { user: { as: "other", [field]: value } },
                `${field} in its kubeconfig has a line break`,
            ];
        }),
        ["a NUL in as", { user: { as: `${SECRET}\0` } }, "as in its kubeconfig has a line break or another character"],
        ["groups without a user", { user: { "as-groups": [SECRET] } }, "as-user-extra without as"],
        ["a token with line breaks", { token: `${SECRET}\nx-header: y` }, "characters no token can have"],
    ])("%s", async (_, options, message) => {
        const error = await failure(options);
        expect(error.kind).toBe("config");
        expect(error.message).toContain(message);
        expect(`${error.message}${error.stack}`).not.toContain(SECRET);
    });

    test("a key that does not belong to the certificate", async () => {
        const [one, two] = [new TestCa().issue({ commonName: "1" }), new TestCa().issue({ commonName: "2" })];
        const user = {
            "client-certificate-data": Buffer.from(one.cert).toString("base64"),
            "client-key-data": Buffer.from(two.key).toString("base64"),
        };
        expect((await failure({ user })).message).toContain("KEY_VALUES_MISMATCH");
    });
});
