import { type Permission, type ReviewedPermission, reviewAccess } from "../provider/kube/access-review";
import type { Observation, ObserveTarget } from "../provider/observe/observe-clusters";

const PEER_VERBS = ["get", "list", "create", "patch", "delete"] as const;

/** What a mesh does in each member: the rules of docs/rbac.yaml that are used. */
const NEEDED: readonly Permission[] = [
    { verb: "list", group: "", resource: "nodes" },
    ...PEER_VERBS.map((verb) => ({ verb, group: "kilo.squat.ai", resource: "peers" })),
    { verb: "get", group: "", resource: "namespaces", name: "kube-system" },
];

/** What the account of every cluster that answered may do. The others were waited for already. */
export async function reviewMembers(
    targets: readonly ObserveTarget[],
    clusters: Readonly<Record<string, Observation>>,
    kubeconfigs: Readonly<Record<string, string>>,
    timeoutSeconds: number,
): Promise<Readonly<Record<string, readonly ReviewedPermission[]>>> {
    const asked = targets.filter(({ name }) => isAskable(clusters[name]!));
    const reviews = await Promise.all(
        asked.map(async ({ name, access }) => {
            const kubeconfig = kubeconfigs[name];
            const reviewed = await reviewAccess(
                kubeconfig === undefined ? access : { ...access, kubeconfig },
                [...NEEDED, ...secretsHeldBy(name, targets)],
                { requestTimeoutSeconds: timeoutSeconds },
            );
            return [name, reviewed] as const;
        }),
    );
    return Object.fromEntries(reviews);
}

const isAskable = (found: Observation): boolean =>
    found.ok || found.kind === "forbidden" || found.kind === "crd-missing" || found.kind === "server";

/** Kubeconfigs of other members that this one keeps. */
const secretsHeldBy = (name: string, targets: readonly ObserveTarget[]): readonly Permission[] =>
    targets.flatMap(({ kubeconfigSecret: secret }) =>
        secret?.cluster === name
            ? [{ verb: "get", group: "", resource: "secrets", namespace: secret.namespace, name: secret.name }]
            : [],
    );
