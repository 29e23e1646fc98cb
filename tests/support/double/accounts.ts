import { ApiStatus } from "./status";

/** What an account may do: verbs by resource, or by `resource/name` for one object. */
export type Rules = Readonly<Record<string, readonly string[]>>;

export const EVERYTHING = "everything";

/** Exactly what docs/rbac.yaml grants. */
export const LEAST: Rules = {
    /** Everybody who is known may look at the list of API groups: the role system:discovery. */
    apis: ["get"],
    nodes: ["get", "list", "watch"],
    peers: ["get", "list", "watch", "create", "update", "patch", "delete"],
    /** Which cluster it is, by the uid of this one. */
    "namespaces/kube-system": ["get"],
};

export interface Account {
    readonly user: string;
    readonly rules: Rules | typeof EVERYTHING;
}

export interface Access {
    readonly verb: string;
    readonly resource: "nodes" | "peers" | "secrets" | "namespaces" | "apis";
    readonly namespace?: string;
    readonly name?: string;
}

/** Who calls, by bearer token, and whether they may. */
export function authorize(
    accounts: ReadonlyMap<string, Account>,
    authorization: string | undefined,
    access: Access,
): void {
    const account = accounts.get(/^Bearer (.+)$/.exec(authorization ?? "")?.[1] ?? "");
    if (account === undefined) throw new ApiStatus(401, "Unauthorized", "Unauthorized");
    const { verb, resource, namespace, name } = access;
    if (account.rules === EVERYTHING || account.rules[resource]?.includes(verb)) return;
    if (name !== undefined && account.rules[`${resource}/${name}`]?.includes(verb)) return;
    const group = resource === "peers" ? "kilo.squat.ai" : "";
    const full = group === "" ? resource : `${resource}.${group}`;
    const scope = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
    throw new ApiStatus(
        403,
        "Forbidden",
        `${full} is forbidden: User "${account.user}" cannot ${verb} resource "${resource}" in API group "${group}" ${scope}`,
        { group, kind: resource },
    );
}
