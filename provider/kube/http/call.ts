/** One REST call, in the words that RBAC and our messages use. */
export interface Call {
    readonly verb: "get" | "list" | "watch" | "create" | "patch" | "delete";
    readonly resource:
        | "nodes"
        | "namespaces"
        | "secrets"
        | "peers.kilo.squat.ai"
        | "servicecidrs.networking.k8s.io"
        | "stacks.pulumi.com"
        | "selfsubjectaccessreviews.authorization.k8s.io"
        /** The list of all API groups that the server knows. */
        | "apis";
    readonly name?: string;
    readonly namespace?: string;
    /** The object's name where the address does not have it: in a create. */
    readonly subject?: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
}

const COLLECTIONS = {
    nodes: "/api/v1/nodes",
    namespaces: "/api/v1/namespaces",
    "peers.kilo.squat.ai": "/apis/kilo.squat.ai/v1alpha1/peers",
    "servicecidrs.networking.k8s.io": "/apis/networking.k8s.io/v1/servicecidrs",
    "selfsubjectaccessreviews.authorization.k8s.io": "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    apis: "/apis",
} as const;

export const METHODS = {
    get: "GET",
    list: "GET",
    watch: "GET",
    create: "POST",
    patch: "PATCH",
    delete: "DELETE",
} as const;

export function pathOf(call: Call): string {
    const collection = collectionOf(call);
    const query = new URLSearchParams(call.query).toString();
    const object = call.name === undefined ? "" : `/${encodeURIComponent(call.name)}`;
    return `${collection}${object}${query === "" ? "" : `?${query}`}`;
}

function collectionOf({ resource, namespace = "" }: Call): string {
    const inside = `namespaces/${encodeURIComponent(namespace)}`;
    switch (resource) {
        case "secrets":
            return `/api/v1/${inside}/secrets`;
        case "stacks.pulumi.com":
            return `/apis/pulumi.com/v1/${inside}/stacks`;
        default:
            return COLLECTIONS[resource];
    }
}

/** `list nodes`, `delete peers.kilo.squat.ai edge--hub--n1` */
export const describeCall = ({ verb, resource, namespace, name, subject = name }: Call): string => {
    const object = subject === undefined ? "" : ` ${namespace === undefined ? "" : `${namespace}/`}${subject}`;
    return `${verb} ${resource}${object}`;
};
