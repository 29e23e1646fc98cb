import type { ServerCredentials } from "./credentials";

export function etcdArguments(directory: string, clientPort: number, peerPort: number): string[] {
    const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
    return [
        `--data-dir=${directory}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=default=${peer}`,
        // The data never outlives the process: there is nothing to lose in a power cut.
        "--unsafe-no-fsync=true",
        "--log-level=warn",
    ];
}

/** Admission that waits for controllers, which a bare API server does not have, or that only costs time here. */
const SUPERFLUOUS_ADMISSION = [
    "DefaultIngressClass",
    "DefaultStorageClass",
    "DefaultTolerationSeconds",
    "LimitRanger",
    "PersistentVolumeClaimResize",
    "PodSecurity",
    "Priority",
    "ResourceQuota",
    "RuntimeClass",
    "ServiceAccount",
    "StorageObjectInUseProtection",
    "TaintNodesByCondition",
];

export function apiServerArguments(options: {
    readonly port: number;
    readonly etcdPort: number;
    readonly etcdPrefix: string;
    readonly serviceCIDR: string;
    readonly credentials: ServerCredentials;
}): string[] {
    const { port, etcdPort, etcdPrefix, serviceCIDR, credentials } = options;
    return [
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        `--secure-port=${port}`,
        `--cert-dir=${credentials.certificateDirectory}`,
        `--etcd-servers=http://127.0.0.1:${etcdPort}`,
        `--etcd-prefix=${etcdPrefix}`,
        `--service-cluster-ip-range=${serviceCIDR}`,
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        `--token-auth-file=${credentials.tokenFile}`,
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-signing-key-file=${credentials.signingKeyFile}`,
        `--service-account-key-file=${credentials.signingKeyFile}`,
        "--service-account-extend-token-expiration=false",
        `--disable-admission-plugins=${SUPERFLUOUS_ADMISSION.join(",")}`,
        // A loopback address is not a valid endpoint of the `kubernetes` Service, and nobody looks for it.
        "--endpoint-reconciler-type=none",
        "--profiling=false",
        // A stopped server must be gone at once, and nobody drains it.
        "--shutdown-delay-duration=0s",
    ];
}
