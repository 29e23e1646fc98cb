import { inspect } from "node:util";
import { readKubeconfigEntry } from "../../../provider/kube/auth/kubeconfig";
import { requireSelfContained } from "../../../provider/kube/auth/self-contained";
import type { KubeError } from "../../../provider/kube/errors/kube-error";
import { kubeconfigFor } from "../../support/kubeconfig";

const YAML = `
apiVersion: v1
kind: Config
current-context: first
contexts:
  - {name: first, context: {cluster: one, user: alice}}
  - {name: second, context: {cluster: two, user: bob}}
  - {name: nobody, context: {cluster: one}}
  - {name: broken, context: {cluster: none, user: alice}}
  - {name: serverless, context: {cluster: three, user: alice}}
clusters:
  - {name: one, cluster: {server: "https://one.example:6443", certificate-authority: pki/ca.crt}}
  - {name: two, cluster: {server: "https://two.example:6443", proxy-url: "http://proxy.example:3128", tls-server-name: api}}
  - {name: three, cluster: {certificate-authority-data: c2VjcmV0LWNh}}
users:
  - {name: alice, user: {token: s3cr3t-of-alice}}
  - {name: bob, user: {client-certificate: bob.crt, client-key: /keys/bob.key, exec: {apiVersion: v1, command: bin/login}}}
`;

const read = (text: string, context?: string, override?: boolean) =>
    readKubeconfigEntry("edge", {
        texts: [{ text, directory: "/home/me/.kube" }],
        ...(context === undefined ? {} : { context }),
        ...(override === undefined ? {} : { override }),
    });

function failure(act: () => unknown): KubeError {
    try {
        act();
    } catch (error) {
        return error as KubeError;
    }
    throw new Error("it did not fail");
}

test("the current context is used, and relative files are relative to the kubeconfig", () => {
    const { cluster, user } = read(YAML);
    expect(cluster).toMatchObject({
        server: "https://one.example:6443",
        "certificate-authority": "/home/me/.kube/pki/ca.crt",
    });
    expect(user.token).toBe("s3cr3t-of-alice");
});

test("a named context is used instead", () => {
    const { cluster, user } = read(YAML, "second");
    expect(cluster).toMatchObject({ "proxy-url": "http://proxy.example:3128", "tls-server-name": "api" });
    expect(user).toMatchObject({ "client-certificate": "/home/me/.kube/bob.crt", "client-key": "/keys/bob.key" });
    expect(user.exec?.command).toBe("/home/me/.kube/bin/login");
});

test("a context without user is anonymous", () => {
    expect(read(YAML, "nobody").user.token).toBeUndefined();
});

test("of several files the first that names something wins", () => {
    const texts = [
        { text: kubeconfigFor({ server: "https://first.example", token: "t1" }), directory: "/a" },
        { text: kubeconfigFor({ server: "https://second.example", token: "t2" }), directory: "/b" },
    ];
    expect(readKubeconfigEntry("edge", { texts }).cluster.server).toBe("https://first.example");
});

test("what JSON and YAML can say is understood: merges, quoted times, keys given twice", () => {
    const merged = `
base: &base {server: "https://merged.example", tls-server-name: api}
clusters: [{name: there, cluster: {<<: *base, tls-server-name: own}}]
users: [{name: me, user: {token: old, token: 2026-01-02}}]
contexts: [{name: main, context: {cluster: there, user: me}}]
current-context: main
`;
    const { cluster, user } = read(merged);
    expect(cluster).toMatchObject({ server: "https://merged.example", "tls-server-name": "own" });
    expect(user.token).toBe("2026-01-02");
});

describe("a text made to be expensive is refused as a bad kubeconfig", () => {
    const levels = Array.from({ length: 12 }, (_, at) => `l${at}: &l${at} [${`*l${at - 1},`.repeat(10)}]`);
    test.each([
        ["aliases that unfold without end", ["l: &l-1 [x]", ...levels].join("\n")],
        ["an alias to itself", "a: &a [*a]\nb: 1"],
        ["nesting deeper than any stack", `a: ${"[".repeat(20_000)}\nb: 1`],
        ["nesting of mappings", `${"a: {".repeat(20_000)}\nb: 1`],
    ])("%s", (_, text) => {
        expect(failure(() => read(text))).toMatchObject({ kind: "config", cluster: "edge" });
    });

    test("and a very large one costs no more than its size", () => {
        const keys = Array.from({ length: 100_000 }, (_, at) => `k${at}: ${at}`).join("\n");
        expect(failure(() => read(keys)).message).toContain("has no current-context");
    });
});

test("nothing of a kubeconfig goes to the log as a warning of the parser", () => {
    const warn = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    failure(() => read("{s3cr3t: x}: y\n? [s3cr3t]\n: z\na: !s3cr3t b"));
    failure(() => read("{s3cr3t: x}: y\n? [s3cr3t]\n: z"));
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
});

test("an override with one context means that context; with several, the named one must be there", () => {
    const single = kubeconfigFor({ server: "https://new.example", context: "renamed" });
    expect(read(single, "first", true).cluster.server).toBe("https://new.example");
    expect(failure(() => read(YAML, "gone", true)).message).toContain('has no context "gone"');
    expect(failure(() => read(single, "first")).message).toContain('has no context "first"');
});

describe("a bad kubeconfig is an error of kind config, and nothing of its content is in it", () => {
    const secret = "s3cr3t-of-alice";
    test.each<[string, string, string | undefined, string]>([
        ["not YAML", `a: [${secret}\nb: {`, undefined, "is not YAML (line "],
        ["YAML with an unknown tag", `a: !!${secret} x\nb: 1`, undefined, "is not YAML"],
        ["a list", `- ${secret}\n- b`, undefined, "is not a YAML mapping"],
        ["a text", `"${secret}\n"`, undefined, "is not a YAML mapping"],
        ["nothing in it", "# empty\n\n", undefined, "is not a YAML mapping"],
        ["a kubeconfig in base64", Buffer.from(YAML).toString("base64"), undefined, "looks base64-encoded"],
        ["no current context", `users: []\nx: ${secret}`, undefined, "has no current-context"],
        ["a context that does not exist", YAML, "third", 'has no context "third"'],
        ["a cluster that does not exist", YAML, "broken", "has no cluster of the name"],
        ["no server", YAML, "serverless", "the cluster in its kubeconfig has no valid server"],
        [
            "values of a wrong type",
            kubeconfigFor({ server: "https://x", user: { token: { [secret]: secret } } }),
            undefined,
            "the user in its kubeconfig has no valid token",
        ],
    ])("%s", (_, text, context, message) => {
        const error = failure(() => read(text, context));
        expect(error).toMatchObject({ kind: "config", cluster: "edge" });
        expect(error.message).toContain(message);
        expect(error.fix).not.toBe("");
        expect(inspect(error, { depth: 10 })).not.toContain(secret);
        expect(inspect(error, { depth: 10 })).not.toContain("c2VjcmV0LWNh");
    });
});

describe("a kubeconfig that was read out of a cluster", () => {
    const server = "https://192.0.2.1:6443";

    test("may carry a token or certificates", () => {
        requireSelfContained("edge", kubeconfigFor({ server, token: "t", ca: "pem" }));
        requireSelfContained("edge", YAML.replace("certificate-authority: pki/ca.crt", "tls-server-name: x"), "first");
    });

    test.each<[string, Parameters<typeof kubeconfigFor>[0]]>([
        ["an exec plugin", { server, user: { exec: { apiVersion: "v1", command: "rm" } } }],
        ["an auth-provider", { server, user: { "auth-provider": { name: "oidc" } } }],
        ["files of this machine", { server, user: { tokenFile: "/etc/shadow" } }],
        ["files of this machine", { server, user: { "client-key": "/root/.ssh/id_rsa" } }],
        ["a CA file of this machine", { server, cluster: { "certificate-authority": "/etc/ca" } }],
        ["a proxy", { server, cluster: { "proxy-url": "http://evil.example" } }],
        ["a server without TLS", { server: "http://127.0.0.1:8001" }],
    ])("may not ask for %s", (what, options) => {
        const error = failure(() => requireSelfContained("edge", kubeconfigFor(options)));
        expect(error.kind).toBe("config");
        expect(error.message).toContain(what);
    });
});
