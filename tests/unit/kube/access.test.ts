import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ClusterAccess, findKubeconfig, overrideVariable } from "../../../provider/kube/auth/access";
import type { Surroundings } from "../../../provider/kube/auth/surroundings";
import { failureOf } from "../../support/failure-of";
import { temporaryDirectory } from "../../support/temporary";

let home: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
    home = await temporaryDirectory();
    await mkdir(path.join(home.path, ".kube"));
    await writeFile(path.join(home.path, ".kube", "config"), "default: true\n");
    await home.file("one.yaml", "one: true\n");
    await home.file("two.yaml", "two: true\n");
    await home.file("token", "in-cluster-token");
});
afterAll(() => home.remove());

const surroundings = (env: Record<string, string> = {}): Surroundings => ({
    env,
    home: home.path,
    serviceAccountDirectory: path.join(home.path, "no-service-account"),
});
const find = (access: Omit<ClusterAccess, "cluster">, around = surroundings()) =>
    findKubeconfig({ cluster: "edge", ...access }, around);
const textsOf = async (...args: Parameters<typeof find>): Promise<string[] | string> => {
    const source = await find(...args);
    return source === "in-cluster" ? source : source.texts.map(({ text }) => text.trim());
};
const failure = (...args: Parameters<typeof find>) => failureOf(find(...args));

test("text with several lines, or JSON, is the content of a kubeconfig", async () => {
    expect(await textsOf({ kubeconfig: "a: 1\nb: 2" })).toEqual(["a: 1\nb: 2"]);
    expect(await textsOf({ kubeconfig: '{"a":1}' })).toEqual(['{"a":1}']);
});

test("a single line is the path of a kubeconfig, and relative paths in it are relative to it", async () => {
    const source = await find({ kubeconfig: path.join(home.path, "one.yaml") });
    expect(source).toEqual({ texts: [{ text: "one: true\n", directory: home.path }] });
});

test("~ is the home directory", async () => {
    expect(await textsOf({ kubeconfig: "~/two.yaml" })).toEqual(["two: true"]);
});

test("the environment wins over the recorded kubeconfig, as content or as path", async () => {
    const recorded = { kubeconfig: "recorded: 1\nx: 1", context: "c" };
    const byContent = surroundings({ KILO_CLUSTERMESH_KUBECONFIG_EDGE: "new: 1\nx: 1" });
    expect(await find(recorded, byContent)).toMatchObject({
        texts: [{ text: "new: 1\nx: 1" }],
        override: true,
        context: "c",
    });
    const byPath = surroundings({ KILO_CLUSTERMESH_KUBECONFIG_EDGE: "~/one.yaml" });
    expect(await textsOf(recorded, byPath)).toEqual(["one: true"]);
    expect(await textsOf({ local: true }, byPath)).toEqual(["one: true"]);
});

test("the variable of a cluster has its name in upper case, with _ for everything else", () => {
    expect(overrideVariable("edge-1.eu")).toBe("KILO_CLUSTERMESH_KUBECONFIG_EDGE_1_EU");
});

test("local: the service account of the pod, when there is one", async () => {
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const pod = { ...surroundings(env), serviceAccountDirectory: home.path };
    expect(await find({ local: true }, pod)).toBe("in-cluster");
    expect(await textsOf({ local: true, context: "named" }, pod)).toEqual(["default: true"]);
    expect(await textsOf({ local: true }, surroundings(env))).toEqual(["default: true"]);
});

test("local: else the default kubeconfig, and KUBECONFIG may list several files, of which some may be missing", async () => {
    const files = ["one.yaml", "none.yaml", "two.yaml"].map((name) => path.join(home.path, name));
    const listed = surroundings({ KUBECONFIG: files.join(path.delimiter) });
    expect(await textsOf({ local: true }, listed)).toEqual(["one: true", "two: true"]);
    expect(await textsOf({ local: true })).toEqual(["default: true"]);
});

describe("a kubeconfig in base64 is recognized, with the way to decode it, and not printed", () => {
    const text = "apiVersion: v1\nkind: Config\nusers:\n  - {name: me, user: {token: very-secret-token}}\n";
    const encoded = Buffer.from(text).toString("base64");
    const wrapped = encoded.replace(/.{20}/g, "$&\n");

    test.each([
        ["in one line", encoded],
        ["in lines", wrapped],
        ["for URLs, without padding", Buffer.from(text).toString("base64url")],
        ["of JSON", Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Config", users: [] })).toString("base64")],
    ])("%s", async (_, kubeconfig) => {
        for (const error of [
            await failure({ kubeconfig }),
            await failure({ local: true }, surroundings({ KILO_CLUSTERMESH_KUBECONFIG_EDGE: kubeconfig })),
        ]) {
            expect(error.kind).toBe("config");
            expect(error.message).toContain("looks base64-encoded");
            expect(error.fix).toContain("base64 -d");
            expect(`${error.message}${error.fix}${error.stack}`).not.toContain(kubeconfig.slice(0, 12));
        }
    });

    test("and a path of such characters is still a path", async () => {
        expect((await failure({ kubeconfig: `a/${"b".repeat(60)}` })).message).toContain("ENOENT");
    });
});

describe("what cannot be used is an error of kind config that says what to do", () => {
    test.each<[string, Omit<ClusterAccess, "cluster">, Record<string, string>, string]>([
        ["nothing given", {}, {}, "nothing says how to reach it"],
        ["empty text", { kubeconfig: " \n " }, {}, "kubeconfig is empty"],
        ["a missing file", { kubeconfig: "/does/not/exist" }, {}, "could not be read (ENOENT)"],
        ["a directory", { kubeconfig: "/" }, {}, "could not be read (EISDIR)"],
        [
            "a missing file in KUBECONFIG",
            { local: true },
            { KUBECONFIG: "/does/not/exist" },
            "no file that KUBECONFIG names exists",
        ],
        [
            "a file in KUBECONFIG that cannot be read, beside one that can",
            { local: true },
            { KUBECONFIG: ["/does/not/exist", "/", __filename].join(path.delimiter) },
            "file 2 of 3 in KUBECONFIG cannot be read (EISDIR)",
        ],
        [
            "a file in KUBECONFIG below something that is no directory",
            { local: true },
            { KUBECONFIG: path.join(__filename, "config") },
            "file 1 of 1 in KUBECONFIG cannot be read (ENOTDIR)",
        ],
        [
            "a missing file in the override",
            { local: true },
            { KILO_CLUSTERMESH_KUBECONFIG_EDGE: "/does/not/exist" },
            "KILO_CLUSTERMESH_KUBECONFIG_EDGE was taken for the path",
        ],
    ])("%s", async (_, access, env, message) => {
        const error = await failure(access, surroundings(env));
        expect(error).toMatchObject({ kind: "config", cluster: "edge", retryable: false });
        expect(error.message).toContain("cluster edge: ");
        expect(error.message).toContain(message);
        expect(error.fix).not.toBe("");
    });

    test("what was taken for a path is not repeated: it may be a token or an encoded kubeconfig", async () => {
        const encoded = Buffer.from("apiVersion: v1\nusers: [token: very-secret]").toString("base64");
        const error = await failure({ kubeconfig: encoded });
        expect(error.kind).toBe("config");
        expect(`${error.message}${error.fix}${error.stack}`).not.toContain(encoded.slice(0, 16));
    });
});
