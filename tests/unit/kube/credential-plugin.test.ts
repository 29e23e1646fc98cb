import path from "node:path";
import { inspect } from "node:util";
import { resolveCredentials } from "../../../provider/kube/auth/credentials";
import { TestCa } from "../../support/certificates";
import { failureOf } from "../../support/failure-of";
import { type KubeconfigOptions, kubeconfigFor } from "../../support/kubeconfig";
import { temporaryDirectory } from "../../support/temporary";

const SERVER = "https://192.0.2.1:6443";
const SECRET = "s3cr3t-text";
let files: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
    files = await temporaryDirectory();
});
afterAll(() => files.remove());

const resolve = (options: KubeconfigOptions, timeoutSeconds = 5) =>
    resolveCredentials(
        { cluster: "edge", kubeconfig: kubeconfigFor({ server: SERVER, ...options }) },
        {
            timeoutSeconds,
            now: () => Date.now(),
            surroundings: { env: { PATH: process.env.PATH }, home: "/", serviceAccountDirectory: "/" },
        },
    );
const failure = (...args: Parameters<typeof resolve>) => failureOf(resolve(...args));

describe("a credential plugin", () => {
    const plugin = (script: string, more: object = {}): KubeconfigOptions => ({
        user: {
            exec: {
                apiVersion: "client.authentication.k8s.io/v1",
                command: process.execPath,
                args: ["-e", script],
                ...more,
            },
        },
    });
    const print = (status: string): string => `console.log(JSON.stringify({status: ${status}}))`;

    test("gives a token and says until when", async () => {
        const { headers, expiresAt } = await resolve(
            plugin(print(`{token: "from-plugin", expirationTimestamp: "2030-01-02T03:04:05Z"}`)),
        );
        expect(headers).toEqual({ authorization: "Bearer from-plugin" });
        expect(expiresAt).toBe(Date.UTC(2030, 0, 2, 3, 4, 5));
    });

    test("gives a client certificate", async () => {
        const { cert, key } = new TestCa().issue({ commonName: "me" });
        const { tls } = await resolve(
            plugin(print(`{clientCertificateData: ${JSON.stringify(cert)}, clientKeyData: ${JSON.stringify(key)}}`)),
        );
        expect(String(tls.cert)).toBe(cert);
    });

    test("is told which cluster it is for, and gets its variables", async () => {
        const { headers } = await resolve(
            plugin(
                print("{token: JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.cluster.server + process.env.EXTRA}"),
                {
                    provideClusterInfo: true,
                    env: [{ name: "EXTRA", value: "/extra" }],
                },
            ),
        );
        expect(headers).toEqual({ authorization: `Bearer ${SERVER}/extra` });
    });

    test("that is not installed is unauthorized, and the fix is to install it", async () => {
        const error = await failure({ user: { exec: { apiVersion: "v1", command: "no-such-plugin" } } });
        expect(error).toMatchObject({ kind: "unauthorized", cluster: "edge" });
        expect(error.message).toContain("no-such-plugin of its kubeconfig was not found");
        expect(error.fix).toBe("Install no-such-plugin on this machine, or add its directory to PATH");
    });

    test.each<[string, KubeconfigOptions, string]>([
        ["fails", plugin("console.error('please log in'); process.exit(3)"), "failed (exit code 3): please log in"],
        ["prints nonsense", plugin(`console.log("${SECRET}")`), "did not print an ExecCredential"],
        ["gives nothing", plugin(print("{}")), "gave neither token nor certificate"],
    ])("that %s is unauthorized, with the way to try it by hand", async (_, options, message) => {
        const error = await failure(options);
        expect(error).toMatchObject({ kind: "unauthorized", cluster: "edge" });
        expect(error.message).toContain(message);
        expect(error.fix).toContain("by hand");
        expect(`${error.message}${error.stack}`).not.toContain(SECRET);
    });

    test("that prints a token among its complaints does not get it into the error", async () => {
        const jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln";
        const error = await failure(plugin(`console.error("bad: ${jwt}, Bearer abc.def"); process.exit(1)`));
        expect(error.message).not.toContain(jwt);
        expect(error.message).not.toContain("abc.def");
    });

    test("that hangs, with a child of its own that holds the pipe, is given up after the timeout", async () => {
        const script = `require("child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 4000)"], {stdio: "inherit"}); setInterval(() => {}, 1000)`;
        const error = await failure(plugin(script), 0.7);
        expect(error.message).toContain("did not finish within 0.7 s");
    });

    test.each([
        ["arguments", { args: ["-e", `${SECRET}\0`] }],
        ["environment", { env: [{ name: "A", value: `${SECRET}\0` }] }],
        ["names of its environment", { env: [{ name: `${SECRET}\0`, value: "" }] }],
        ["command", { command: `${SECRET}\0` }],
    ])("with a NUL in its %s is a bad kubeconfig, and the value is not printed", async (_, more) => {
        const error = await failure(plugin("", more));
        expect(error).toMatchObject({ kind: "config", cluster: "edge" });
        expect(error.message).toContain("has a NUL character");
        expect(inspect(error, { depth: 10 })).not.toContain(SECRET);
    });

    test("that cannot be started at all is unauthorized, not a crash", async () => {
        const error = await failure(plugin(SECRET.repeat(1 << 20)));
        expect(error).toMatchObject({ kind: "unauthorized" });
        expect(error.message).toMatch(/could not be started \(E2BIG\)|failed/);
        expect(`${error.message}${error.stack}`).not.toContain(SECRET);
    });

    test("that wants a terminal is refused", async () => {
        expect(await failure(plugin("", { interactiveMode: "Always" }))).toMatchObject({ kind: "config" });
    });

    test("is found beside its kubeconfig when it has a relative path", async () => {
        await files.file("login", `#!/bin/sh\necho '{"status":{"token":"relative"}}'\n`, 0o700);
        const kubeconfig = await files.file(
            "config",
            kubeconfigFor({ server: SERVER, user: { exec: { apiVersion: "v1", command: "./login" } } }),
        );
        const { headers } = await resolveCredentials(
            { cluster: "edge", kubeconfig: path.join(kubeconfig) },
            { timeoutSeconds: 5, now: () => 0, surroundings: { env: {}, home: "/", serviceAccountDirectory: "/" } },
        );
        expect(headers).toEqual({ authorization: "Bearer relative" });
    });
});
