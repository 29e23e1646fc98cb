import type { KubeErrorKind } from "../../provider/kube/errors/kube-error";
import type { ClusterSpec } from "../../provider/mesh/types";
import type { Assessment } from "../assess";
import type { ClusterSight } from "../sight";
import type { Check, Finding } from "./finding";
import { asAdministrator, kubectl } from "./kubectl";

type Failure = Extract<ClusterSight, { answers: false }>;

const RBAC = "node_modules/pulumi-kilo-clustermesh/docs/rbac.yaml";

/** Which check a failure belongs to: those before it passed. */
function checkOf({ kind, network }: Failure): Check {
    const checks: Partial<Record<KubeErrorKind, Check>> = {
        unauthorized: "signs in",
        forbidden: "permissions",
        "crd-missing": "Peer kind",
    };
    return network === "tls" ? "TLS" : (checks[kind] ?? "answers");
}

/** Why a cluster could not be read. */
export function failureFinding(spec: ClusterSpec, failure: Failure, cwd: string): Finding {
    const check = checkOf(failure);
    const run = (...args: readonly string[]): string => kubectl(spec, cwd, ...args);
    const base = { severity: "error", check, cluster: spec.name, what: failure.message } as const;
    const stays = "its peers elsewhere stay as they are, and nothing in it can be checked or repaired";
    switch (failure.kind) {
        case "config":
            return {
                ...base,
                code: "KubeconfigUnusable",
                why: `${stays}; ${failure.fix}`,
                next: run("config", "view", "--minify"),
            };
        case "unauthorized":
            return { ...base, code: "NotSignedIn", why: `${stays}; ${failure.fix}`, next: run("auth", "whoami") };
        case "forbidden":
            return { ...base, code: "PermissionMissing", why: `${stays}; ${failure.fix}`, next: grant(spec) };
        case "crd-missing":
            return {
                ...base,
                code: "PeerKindMissing",
                why: "without Kilo's Peer kind no peer can be written; Kilo is not installed here, or only half",
                next: asAdministrator(spec.name, "get", "crd", "peers.kilo.squat.ai"),
            };
        default:
            return {
                ...base,
                code: check === "TLS" ? "TlsFailed" : "Unreachable",
                why: `${stays}; ${failure.fix}`,
                next: run("--request-timeout", "10s", "get", "--raw", "/livez"),
            };
    }
}

const grant = ({ name }: ClusterSpec): string => asAdministrator(name, "apply", "-f", RBAC);

/** What the account may not do, by the cluster's own word. */
export function permissionFindings({ sight }: Assessment, spec: ClusterSpec, cwd: string): readonly Finding[] {
    const reviewed = sight.permissions[spec.name] ?? [];
    const run = (...args: readonly string[]): string => kubectl(spec, cwd, ...args);
    const base = { check: "permissions", cluster: spec.name } as const;
    const denied = reviewed.filter(({ allowed }) => allowed === false);
    const unknown = reviewed.filter(({ allowed }) => allowed === "unknown");
    return [
        ...denied.map(
            ({ verb, group, resource, namespace, name }): Finding => ({
                ...base,
                code: "PermissionMissing",
                severity: "error",
                what: `the account may not ${verb} ${group === "" ? resource : `${resource}.${group}`}${name === undefined ? "" : ` ${namespace}/${name}`}`,
                why:
                    resource === "secrets"
                        ? "the kubeconfig of another member is in that Secret"
                        : "a mesh reads nodes, and reads and writes peers; without this, pulumi up fails half-way",
                next:
                    resource === "secrets"
                        ? run("auth", "can-i", verb, `secrets/${name}`, "-n", namespace ?? "default")
                        : grant(spec),
            }),
        ),
        ...(unknown.length === 0
            ? []
            : [
                  {
                      ...base,
                      code: "PermissionUnknown",
                      severity: "info",
                      what: `the cluster does not say what the account may do (${unknown.length} questions unanswered)`,
                      why: "if a permission is missing, pulumi up finds out only when it writes",
                      next: run("auth", "can-i", "--list"),
                  } satisfies Finding,
              ]),
    ];
}
