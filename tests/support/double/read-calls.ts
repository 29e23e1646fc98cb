import type { Cluster } from "./cluster";
import { parseSelector } from "./label-selector";
import { ApiStatus } from "./status";

export function readNode(cluster: Cluster, method: string, name: string): unknown {
    const node = cluster.nodes.get(name);
    if (method !== "GET") throw new ApiStatus(405, "MethodNotAllowed", "the double's nodes are changed by putNode");
    if (node === undefined) throw new ApiStatus(404, "NotFound", `nodes "${name}" not found`, { name, kind: "nodes" });
    return { kind: "Node", apiVersion: "v1", ...node };
}

export function readNamespace({ namespaces }: Cluster, name: string): unknown {
    const uid = namespaces.get(name);
    if (uid === undefined) {
        throw new ApiStatus(404, "NotFound", `namespaces "${name}" not found`, { name, kind: "namespaces" });
    }
    return { kind: "Namespace", apiVersion: "v1", metadata: { name, uid } };
}

export function readSecret(cluster: Cluster, namespace: string, name: string): unknown {
    const values = cluster.secrets.get(`${namespace}/${name}`);
    if (values === undefined) {
        throw new ApiStatus(404, "NotFound", `secrets "${name}" not found`, { name, kind: "secrets" });
    }
    const data = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
    );
    return { kind: "Secret", apiVersion: "v1", metadata: { name, namespace }, data, type: "Opaque" };
}

export function listNodes(cluster: Cluster, query: URLSearchParams) {
    const chosen = parseSelector(query.get("labelSelector") ?? "");
    return cluster.nodePages.page(
        () => [...cluster.nodes.values()].filter(({ metadata }) => chosen(metadata.labels)),
        cluster.version,
        Number(query.get("limit") ?? 0),
        query.get("continue") ?? "",
    );
}

export function listPeers(cluster: Cluster, query: URLSearchParams) {
    const chosen = parseSelector(query.get("labelSelector") ?? "");
    return cluster.peerPages.page(
        () => cluster.peers.all().filter(({ metadata }) => chosen(metadata.labels)),
        cluster.version,
        Number(query.get("limit") ?? 0),
        query.get("continue") ?? "",
    );
}
