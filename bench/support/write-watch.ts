import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import type { LocalCluster } from "../../tools/clusters";
import { tokenIn } from "./token";

/** Sees writes happen from outside, the same way whoever makes them. */
export interface WriteWatch {
    /** Writes per second, from the first to the last that was seen in any cluster, once so many were seen. */
    rate(writes: number): Promise<number>;
}

const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";
const LONGEST_WAIT_MS = 20_000;

/** Counts one kind of event on the peers of all the clusters, over one watch each. */
export async function watchWrites(clusters: readonly LocalCluster[], type: "ADDED" | "DELETED"): Promise<WriteWatch> {
    const stopped = new AbortController();
    let first = 0;
    let last = 0;
    let seen = 0;
    const follow = async (cluster: LocalCluster): Promise<void> => {
        const { metadata } = await cluster.request<{ metadata: { resourceVersion: string } }>(
            "GET",
            `${PEERS}?limit=1`,
        );
        const dispatcher = new Agent({ connect: { ca: readFileSync(cluster.caFile) }, bodyTimeout: 0 });
        const { body } = await request(
            `${cluster.url}${PEERS}?watch=true&resourceVersion=${metadata.resourceVersion}`,
            {
                dispatcher,
                headers: { authorization: `Bearer ${tokenIn(cluster.adminKubeconfig)}` },
                signal: stopped.signal,
            },
        );
        const mark = `{"type":"${type}"`;
        let rest = "";
        body.setEncoding("utf8").on("data", (chunk: string) => {
            const text = rest + chunk;
            const count = text.split(mark).length - 1;
            // A mark may be cut in two; one that was counted must not be counted again.
            rest = text.slice(-(mark.length - 1)).replace(mark, "");
            if (count === 0) return;
            last = performance.now();
            if (seen === 0) first = last;
            seen += count;
        });
        body.on("error", () => void dispatcher.destroy());
    };
    await Promise.all(clusters.map(follow));
    return {
        async rate(writes) {
            const end = performance.now() + LONGEST_WAIT_MS;
            while (seen < writes && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
            stopped.abort();
            if (seen !== writes)
                throw new Error(`${writes} peers should have been ${type}, the API servers told of ${seen}`);
            return (writes / Math.max(1, last - first)) * 1000;
        },
    };
}
