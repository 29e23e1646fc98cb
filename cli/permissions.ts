import { type Permission, type ReviewedPermission, reviewAccess } from "../provider/kube/access-review";
import type { ObserveTarget } from "../provider/observe/observe-clusters";
import type { ClusterSight } from "./sight";

const PEER_VERBS = ["get", "list", "create", "patch", "delete"] as const;

/** What a mesh does in each member: the rules of docs/rbac.yaml that are used. */
const NEEDED: readonly Permission[] = [
    { verb: "list", group: "", resource: "nodes" },
    ...PEER_VERBS.map((verb) => ({ verb, group: "kilo.squat.ai", resource: "peers" })),
];

/** What the account of every cluster that answered may do. The others were waited for already. */
export async function reviewMembers(
    targets: readonly ObserveTarget[],
    clusters: Readonly<Record<string, ClusterSight>>,
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

const isAskable = (sight: ClusterSight): boolean =>
    sight.answers || sight.kind === "forbidden" || sight.kind === "crd-missing" || sight.kind === "server";

/** Kubeconfigs of other members that this one keeps. */
const secretsHeldBy = (name: string, targets: readonly ObserveTarget[]): readonly Permission[] =>
    targets.flatMap(({ kubeconfigSecret: secret }) =>
        secret?.cluster === name
            ? [{ verb: "get", group: "", resource: "secrets", namespace: secret.namespace, name: secret.name }]
            : [],
    );
