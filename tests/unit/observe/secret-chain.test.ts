import type { ClusterAccess } from "../../../provider/kube/auth/access";
import type { KubeClient } from "../../../provider/kube/client";
import { configError, failureState, KubeError, type KubeErrorDetails } from "../../../provider/kube/errors/kube-error";
import { secretReader } from "../../../provider/observe/secret-chain";
import { failureOf } from "../../support/failure-of";
import { kubeconfigFor } from "../../support/kubeconfig";

const KUBECONFIG = kubeconfigFor({ server: "https://192.0.2.1:6443", token: "t" });

/** `root` has its own kubeconfig; `middle` is a Secret in it, `leaf` a Secret in `middle`. */
const heldIn = (cluster: string, name: string) => ({
    name,
    access: { cluster: name },
    kubeconfigSecret: { cluster, namespace: "ns", name: `${name}-kubeconfig`, key: "value" },
});
const TARGETS = [
    { name: "root", access: { cluster: "root", kubeconfig: KUBECONFIG } },
    heldIn("root", "middle"),
    heldIn("middle", "leaf"),
];

type Failure = Omit<KubeErrorDetails, "cluster" | "message" | "fix">;
interface Failures {
    readonly open?: Record<string, Failure>;
    readonly secret?: Record<string, Failure>;
}

/** The failure with which the way to a cluster ends. */
function failureTo(name: string, { open = {}, secret = {} }: Failures): Promise<KubeError> {
    const fail = (cluster: string, failure: Failure | undefined): void => {
        if (failure) throw new KubeError({ ...failure, cluster, message: `cluster ${cluster} fails`, fix: "Fix it" });
    };
    const client = async ({ cluster }: ClusterAccess): Promise<KubeClient> => {
        fail(cluster, open[cluster]);
        const getSecret = async (_: string, asked: string) => {
            fail(cluster, secret[asked]);
            return { value: KUBECONFIG };
        };
        return { getSecret, close: async () => undefined } as unknown as KubeClient;
    };
    return failureOf(secretReader(TARGETS, client, () => false).accessOf(name));
}

describe.each(["middle", "leaf"])("%s, which is reached by Secrets", (name) => {
    test.each<[string, Failures]>([
        ["does not answer", { secret: { "middle-kubeconfig": { kind: "unreachable", network: "timeout" } } }],
        ["is overloaded", { secret: { "middle-kubeconfig": { kind: "server", status: 503 } } }],
        ["throttles", { secret: { "middle-kubeconfig": { kind: "throttled", status: 429 } } }],
    ])("is silent when the root of the chain %s, and names the root", async (_, failures) => {
        const error = await failureTo(name, failures);
        expect(error).toMatchObject({ cluster: name, holder: "root" });
        expect(failureState(error)).toBe("silent");
    });

    test.each<[string, Failures]>([
        [
            "has a certificate that is refused",
            { secret: { "middle-kubeconfig": { kind: "unreachable", network: "tls" } } },
        ],
        ["refuses our credentials", { secret: { "middle-kubeconfig": { kind: "unauthorized", status: 401 } } }],
        ["has a bad kubeconfig", { open: { root: { kind: "config" } } }],
        ["has an exec plugin that fails", { open: { root: { kind: "unauthorized" } } }],
    ])("is unusable when the root of the chain %s, and names the root", async (_, failures) => {
        const error = await failureTo(name, failures);
        expect(error).toMatchObject({ cluster: name, holder: "root" });
        expect(failureState(error)).toBe("unusable");
    });
});

test.each<[string, Failure]>([
    ["is gone", { kind: "not-found", status: 404 }],
    ["may not be read", { kind: "forbidden", status: 403 }],
])(
    "a Secret that %s is the failure of the cluster that needs it; those behind it wait for that one",
    async (_, failure) => {
        const failures = { secret: { "middle-kubeconfig": failure } };
        const own = await failureTo("middle", failures);
        expect([own.holder, own.kind, failureState(own)]).toEqual([undefined, failure.kind, "unusable"]);
        const behind = await failureTo("leaf", failures);
        expect([behind.holder, failureState(behind)]).toEqual(["middle", "unusable"]);
    },
);

test("a Secret without a kubeconfig in it is the failure of the cluster that needs it", async () => {
    const client = async () =>
        ({ getSecret: async () => ({ other: "x" }), close: async () => undefined }) as unknown as KubeClient;
    const error = await failureOf(secretReader(TARGETS, client, () => false).accessOf("middle"));
    expect([error.kind, error.holder]).toEqual(["config", undefined]);
});

test("a failure without a chain names no other cluster", () => {
    expect(configError("edge", "w", "Fix it").holder).toBeUndefined();
});
