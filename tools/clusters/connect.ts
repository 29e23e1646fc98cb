import { readFileSync } from "node:fs";
import { apiClient } from "./api-client";
import { type ClusterHandle, clusterHandle } from "./cluster-handle";
import { adminToken, describeCluster, readList } from "./layout";

/** Connections, as administrator, to every cluster that is listed in this directory. */
export function connectAll(directory: string): {
    readonly clusters: readonly ClusterHandle[];
    close(): Promise<void>;
} {
    const connected = readList(directory).map((entry) => {
        const details = describeCluster(directory, entry);
        const ca = readFileSync(details.caFile, "utf8");
        const client = apiClient({ url: details.url, ca, token: adminToken(directory, entry.name) });
        return { handle: clusterHandle(details, client), client };
    });
    return {
        clusters: connected.map(({ handle }) => handle),
        close: async () => {
            await Promise.all(connected.map(({ client }) => client.close()));
        },
    };
}
