const PEERS = {
    name: "peers",
    singularName: "peer",
    namespaced: false,
    kind: "Peer",
    verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
};

const group = (name: string, version: string) => {
    const served = { groupVersion: `${name}/${version}`, version };
    return { name, versions: [served], preferredVersion: served };
};

/** What a server tells of its kinds to everybody it knows, as far as anybody asks; `undefined` for other paths. */
export function discovery(path: string, { crd }: { readonly crd: boolean }): unknown {
    switch (path) {
        case "/api":
            return { kind: "APIVersions", versions: ["v1"] };
        case "/apis":
            return {
                kind: "APIGroupList",
                apiVersion: "v1",
                groups: [group("apps", "v1"), ...(crd ? [group("kilo.squat.ai", "v1alpha1")] : [])],
            };
        case "/api/v1":
        case "/apis/apps/v1":
            return resources(path, []);
        case "/apis/kilo.squat.ai/v1alpha1":
            return crd ? resources(path, [PEERS]) : undefined;
        default:
            return undefined;
    }
}

const resources = (path: string, found: readonly unknown[]) => ({
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: path.replace(/^\/apis?\//, ""),
    resources: found,
});
