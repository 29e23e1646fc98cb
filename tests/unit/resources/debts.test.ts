import { KubeError, type KubeErrorDetails } from "../../../provider/kube/errors/kube-error";
import { readConnection } from "../../../provider/resources/connection";
import { writeOffOrThrow } from "../../../provider/resources/debts";
import { memoryHost } from "../../support/memory-cluster";

const connection = (more: object = {}) => readConnection({ cluster: "hub", kubeconfig: "secret", ...more });
const failure = (more: Partial<KubeErrorDetails>): KubeError =>
    new KubeError({ kind: "unreachable", cluster: "hub", message: "cluster hub: it failed", fix: "Fix it", ...more });
const SILENT = failure({ network: "timeout" });
const VARIABLE = "KILO_CLUSTERMESH_DELETE_UNREACHABLE";

const tries = (error: unknown, env: Record<string, string> = {}, more: object = {}) => {
    const host = memoryHost([], env);
    writeOffOrThrow(host, connection(more), "peers", error);
    return host.warnings;
};

describe("silence", () => {
    test.each(["timeout", "refused", "reset", "dns", "network"] as const)(
        "%s is a debt that stays in the state",
        (network) => {
            expect(() => tries(failure({ network }))).toThrow(
                "the peers in hub could not be deleted and stay in the state: cluster hub: it failed. Run the same command again " +
                    "when the cluster answers, or set KILO_CLUSTERMESH_DELETE_UNREACHABLE=hub (or deleteUnreachable: true before the removal)",
            );
        },
    );

    test.each<[string, Record<string, string>, object]>([
        ["by name", { [VARIABLE]: "hub" }, {}],
        ["by name among others", { [VARIABLE]: "spoke, hub" }, {}],
        ["by one word for all", { [VARIABLE]: "true" }, {}],
        ["by one digit for all", { [VARIABLE]: "1" }, {}],
        ["by consent before the removal", {}, { deleteUnreachable: true }],
    ])("is written off %s, and the warning says what is left", (_, env, more) => {
        expect(tries(SILENT, env, more)).toEqual([
            'cluster hub: it failed. The peers there are written off: if the cluster comes back, delete them with "kilo-clustermesh sweep", or add it to the mesh again.',
        ]);
    });

    test.each<[string, Record<string, string>]>([
        ["another name", { [VARIABLE]: "spoke" }],
        ["a name that begins alike", { [VARIABLE]: "hub2,hu" }],
        ["an empty list", { [VARIABLE]: "" }],
        ["false", { [VARIABLE]: "false" }],
        ["what was said to Pulumi's own provider", { PULUMI_K8S_DELETE_UNREACHABLE: "true" }],
    ])("is not written off by %s", (_, env) => {
        expect(() => tries(SILENT, env)).toThrow("stay in the state");
    });

    test("of a server that is overloaded or failing counts too", () => {
        for (const error of [failure({ kind: "throttled" }), failure({ kind: "server", status: 503 })]) {
            expect(tries(error, { [VARIABLE]: "hub" })).toHaveLength(1);
        }
    });
});

describe("what is not silence is never written off, whatever is said", () => {
    const env = { [VARIABLE]: "true" };

    test.each<[string, Partial<KubeErrorDetails>]>([
        ["a kubeconfig that is missing or bad", { kind: "config" }],
        ["a certificate that is refused", { network: "tls" }],
        ["a proxy that refuses", { network: "proxy" }],
        ["something that is no HTTP", { network: "protocol" }],
        ["credentials that expired", { kind: "unauthorized" }],
        ["a missing right", { kind: "forbidden" }],
        ["an answer that is not from a Kubernetes API", { kind: "server" }],
        ["an object that is refused", { kind: "invalid" }],
    ])("%s", (_, details) => {
        expect(() => tries(failure(details), env, { deleteUnreachable: true })).toThrow(
            "Fix it; KILO_CLUSTERMESH_KUBECONFIG_HUB overrides the recorded credentials for one run. Only a cluster that does not answer can be written off.",
        );
    });

    test("an error of our own", () => {
        const bug = new Error("boom");
        expect(() => tries(bug, env)).toThrow(bug);
    });
});

test("where Kilo's kind is gone nothing is owed: the objects went with it", () => {
    expect(tries(failure({ kind: "crd-missing" }))).toEqual([]);
});
