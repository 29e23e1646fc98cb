import { type FaultProxy, startFaultProxy } from "../../tests/support/fault-proxy";
import type { LocalCluster } from "../../tools/clusters";

/** Clusters behind proxies that count what reaches them and can fall silent. */
export interface Counted {
    readonly members: readonly (LocalCluster & { readonly kubeconfig: string })[];
    readonly proxies: readonly FaultProxy[];
    /** What reached the API servers meanwhile. */
    count(operation: () => Promise<unknown>): Promise<Calls>;
    close(): Promise<void>;
}

export interface Calls {
    /** Lists of the cluster that saw most of them: `limit` and `continue` make a list of many pages several calls. */
    readonly lists: number;
    readonly writes: number;
    readonly others: number;
}

export async function countCalls(clusters: readonly LocalCluster[]): Promise<Counted> {
    const proxies = await Promise.all(clusters.map(({ kubeconfig }) => startFaultProxy({ kubeconfig })));
    return {
        proxies,
        members: clusters.map((cluster, at) => ({ ...cluster, kubeconfig: proxies[at]!.kubeconfig })),
        async count(operation) {
            for (const proxy of proxies) proxy.resetLog();
            await operation();
            const all = proxies.flatMap(({ requests }) => requests);
            const lists = proxies.map(({ requests }) => requests.filter(isList).length);
            const writes = all.filter(({ write }) => write).length;
            return {
                lists: Math.max(...lists),
                writes,
                others: all.length - writes - lists.reduce((a, b) => a + b, 0),
            };
        },
        close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
    };
}

const isList = ({ write, path }: { readonly write: boolean; readonly path: string }): boolean =>
    !write && /\/(nodes|peers)$/.test(path);
