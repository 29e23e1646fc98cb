import { createServer, type Server } from "node:net";
import { openCluster } from "../../../provider/kube/client";
import {
    configError,
    type FailureState,
    failureState,
    KubeError,
    type KubeErrorKind,
    type NetworkFailure,
} from "../../../provider/kube/errors/kube-error";
import { networkError, timeoutError } from "../../../provider/kube/errors/network-errors";
import { failureOf } from "../../support/failure-of";
import { kubeconfigFor } from "../../support/kubeconfig";

const error = (kind: KubeErrorKind, more: { network?: NetworkFailure; status?: number } = {}): KubeError =>
    new KubeError({ kind, cluster: "edge", message: "m", fix: "Fix it", ...more });

const KINDS: Readonly<Record<KubeErrorKind, FailureState>> = {
    unreachable: "unusable",
    unauthorized: "unusable",
    forbidden: "unusable",
    "crd-missing": "unusable",
    "not-found": "unusable",
    "already-exists": "unusable",
    conflict: "unusable",
    invalid: "unusable",
    throttled: "silent",
    config: "unusable",
    server: "unusable",
};
const NETWORK: Readonly<Record<NetworkFailure, FailureState>> = {
    timeout: "silent",
    refused: "silent",
    reset: "silent",
    dns: "silent",
    network: "silent",
    tls: "unusable",
    proxy: "unusable",
    protocol: "unusable",
};

test.each(Object.entries(KINDS))("%s, and nothing more, is %s", (kind, state) => {
    expect(failureState(error(kind as KubeErrorKind))).toBe(state);
});

test.each(Object.entries(NETWORK))("no answer because of %s is %s", (network, state) => {
    expect(failureState(error("unreachable", { network: network as NetworkFailure }))).toBe(state);
});

test.each<[number, FailureState]>([
    [200, "unusable"],
    [302, "unusable"],
    [404, "unusable"],
    [410, "silent"],
    [500, "silent"],
    [502, "silent"],
    [503, "silent"],
    [504, "silent"],
])("an answer of %s that is no answer of a Kubernetes API is %s", (status, state) => {
    expect(failureState(error("server", { status }))).toBe(state);
});

test("a bad kubeconfig is unusable", () => {
    expect(failureState(configError("edge", "w", "Fix it"))).toBe("unusable");
});

describe("what the network says", () => {
    const context = {
        cluster: "edge",
        call: { verb: "list", resource: "nodes" },
        host: "h:6443",
        secrets: [],
    } as const;
    const stateOf = (code: string): FailureState =>
        failureState(networkError(context, Object.assign(new Error("words"), { code })));

    test.each([
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        "SELF_SIGNED_CERT_IN_CHAIN",
        "CERT_HAS_EXPIRED",
        "CERT_NOT_YET_VALID",
        "CERT_REVOKED",
        "CERT_CHAIN_TOO_LONG",
        "INVALID_PURPOSE",
        "HOSTNAME_MISMATCH",
        "UNSPECIFIED",
        "ERR_TLS_CERT_ALTNAME_INVALID",
        "ERR_SSL_WRONG_VERSION_NUMBER",
        "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
        "ERR_OSSL_X509_KEY_VALUES_MISMATCH",
        "EPROTO",
        "HPE_INVALID_CONSTANT",
    ])("%s is never silence", (code) => {
        expect(stateOf(code)).toBe("unusable");
    });

    test.each([
        "ECONNREFUSED",
        "ECONNRESET",
        "ECONNABORTED",
        "EPIPE",
        "UND_ERR_SOCKET",
        "HPE_INVALID_EOF_STATE",
        "ERR_SSL_UNEXPECTED_EOF_WHILE_READING",
        "ENOTFOUND",
        "EAI_AGAIN",
        "ETIMEDOUT",
        "UND_ERR_CONNECT_TIMEOUT",
        "EHOSTUNREACH",
        "ENETUNREACH",
    ])("%s is silence", (code) => {
        expect(stateOf(code)).toBe("silent");
    });

    test("a timeout is silence", () => {
        expect(failureState(timeoutError(context, 1, "no answer"))).toBe("silent");
    });
});

describe("a server on the way to TLS", () => {
    const servers: Server[] = [];
    afterEach(async () => {
        for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    });

    const stateAt = async (answer: (socket: import("node:net").Socket) => void): Promise<FailureState> => {
        const server = createServer((socket) => {
            socket.on("error", () => undefined).once("data", () => answer(socket));
        });
        servers.push(server);
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const { port } = server.address() as { port: number };
        const client = await openCluster(
            { cluster: "edge", kubeconfig: kubeconfigFor({ server: `https://127.0.0.1:${port}` }) },
            { retries: "brief", requestTimeoutSeconds: 2 },
        );
        const state = failureState(await failureOf(client.listNodes()));
        await client.close();
        return state;
    };

    test("that cuts the handshake by a reset is silent", async () => {
        expect(await stateAt((socket) => socket.resetAndDestroy())).toBe("silent");
    });

    test("that closes the connection in the handshake is silent", async () => {
        expect(await stateAt((socket) => socket.end())).toBe("silent");
    });

    test("that speaks no TLS is unusable", async () => {
        expect(await stateAt((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))).toBe("unusable");
    });
});
