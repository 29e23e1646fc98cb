import type { Permission } from "../../provider/kube/access-review";
import type { KubeErrorKind } from "../../provider/kube/errors/kube-error";
import type { ClusterSpec } from "../../provider/mesh/types";
import { count } from "../../provider/values/show";
import type { Assessment } from "../assess";
import type { UnseenCluster } from "../sight";
import type { Place } from "./context";
import type { Check, Finding } from "./finding";
import { asAdministrator, hasKubeconfigFile, kubectl } from "./kubectl";

type Failure = UnseenCluster["found"];

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
export function failureFinding(spec: ClusterSpec, failure: Failure, { cwd, file }: Place): Finding {
    const check = checkOf(failure);
    const run = (...args: readonly string[]): string => kubectl(spec, cwd, ...args);
    const why = `its peers elsewhere stay as they are, and nothing in it can be checked or repaired. ${failure.fix}`;
    const base = { severity: "error", check, cluster: spec.name, what: failure.message, why } as const;
    switch (failure.kind) {
        case "config": {
            const canView = spec.local === true || hasKubeconfigFile(spec);
            const field = spec.kubeconfigSecret === undefined ? "kubeconfig" : "kubeconfigSecret";
            const next = canView ? run("config", "view", "--minify") : `Correct ${field} of ${spec.name} in ${file}`;
            return { ...base, code: "KubeconfigUnusable", next };
        }
        case "unauthorized":
            return { ...base, code: "NotSignedIn", next: run("auth", "whoami") };
        case "forbidden":
            return { ...base, code: "PermissionMissing", next: grant(spec) };
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
                next: run("--request-timeout", "10s", "get", "--raw", "/livez"),
            };
    }
}

const grant = ({ name }: ClusterSpec): string => asAdministrator(name, "apply", "-f", RBAC);

/** What the account may not do, by the cluster's own word. */
export function permissionFindings({ sight }: Assessment, spec: ClusterSpec, cwd: string): readonly Finding[] {
    const reviewed = sight.permissions[spec.name] ?? [];
    const base = { check: "permissions", cluster: spec.name } as const;
    const unknown = reviewed.filter(({ allowed }) => allowed === "unknown");
    const findings = reviewed
        .filter(({ allowed }) => allowed === false)
        .map((denied): Finding => ({ ...base, code: "PermissionMissing", ...deniedFinding(denied, spec, cwd) }));
    if (unknown.length === 0) return findings;
    return [
        ...findings,
        {
            ...base,
            code: "PermissionUnknown",
            severity: "info",
            what: `the cluster does not say what the account may do (${count(unknown.length, "question")} unanswered)`,
            why: "if a permission is missing, pulumi up finds out only when it writes",
            next: kubectl(spec, cwd, "auth", "can-i", "--list"),
        },
    ];
}

function deniedFinding(
    { verb, group, resource, namespace, name }: Permission,
    spec: ClusterSpec,
    cwd: string,
): Pick<Finding, "severity" | "what" | "why" | "next"> {
    const object = name === undefined ? "" : ` ${namespace === undefined ? name : `${namespace}/${name}`}`;
    const what = `the account may not ${verb} ${group === "" ? resource : `${resource}.${group}`}${object}`;
    switch (resource) {
        case "secrets":
            return {
                ...{ severity: "error", what, why: "the kubeconfig of another member is in that Secret" },
                next: kubectl(spec, cwd, "auth", "can-i", verb, `secrets/${name}`, "-n", namespace ?? "default"),
            };
        case "namespaces":
            return {
                ...{ severity: "info", what, next: grant(spec) },
                why: "a mesh recognizes the cluster by the uid of that namespace; without it, pulumi up does not notice a kubeconfig that leads to another cluster",
            };
        default:
            return {
                ...{ severity: "error", what, next: grant(spec) },
                why: "a mesh reads nodes, and reads and writes peers; without this, pulumi up fails half-way",
            };
    }
}
